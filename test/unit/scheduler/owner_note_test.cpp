#include "scheduler/owner_note.h"

#include <gtest/gtest.h>

namespace elbowroom::scheduler {
namespace {

TEST(OwnerNote, EveryTurnThatLeavesThePodWaitingSaysSoOrPassesSoon) {
  for (const ResultRow& row : kResultTable) {
    const OwnerNote note = note_of(row.of, "because", "default/a");
    switch (row.of) {
      case TurnResult::Fits:
      case TurnResult::Busy:
      case TurnResult::Overtaken:
      case TurnResult::Outdated:
      case TurnResult::Failed:
        EXPECT_EQ(note.words, "") << row.name;
        break;
      case TurnResult::Preempts:
        EXPECT_EQ(note.words, "Removing default/a makes room for the resize");
        EXPECT_FALSE(note.warning);
        break;
      case TurnResult::Awaits:
      case TurnResult::Yields:
      case TurnResult::NodesTurn:
        EXPECT_EQ(note.words, "The resize waits: because") << row.name;
        EXPECT_FALSE(note.warning);
        break;
      default:
        EXPECT_EQ(note.words, "No room is made for the resize: because") << row.name;
        EXPECT_TRUE(note.warning);
    }
  }
}

TEST(OwnerNote, TheTimeComesLast) {
  OwnerNote note = note_of(TurnResult::Yields, "x", "");
  EXPECT_EQ(in_full(note), "The resize waits: x");
  note.time = policy::Time{std::chrono::milliseconds(1'780'000'000'900)};
  EXPECT_EQ(in_full(note), "The resize waits: x, until 2026-05-28T20:26:40Z");
}

}  // namespace
}  // namespace elbowroom::scheduler
