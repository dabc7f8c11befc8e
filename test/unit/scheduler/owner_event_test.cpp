#include "scheduler/waiting/owner_event.h"

#include <gtest/gtest.h>

namespace elbowroom::scheduler {
namespace {

using std::chrono::seconds;

TEST(OwnerEvent, EveryTurnThatLeavesThePodWaitingSaysSoOrPassesSoon) {
  for (const ResultRow& row : kResultTable) {
    const OwnerEvent note = note_of(row.of, "because", "default/a");
    switch (row.of) {
      case TurnResult::Fits:
        EXPECT_EQ(note.words,
                  "Nobody is removed for the resize: it fits by now, and its node is to admit it");
        EXPECT_EQ(note.reason, EventReason::ResizeFits);
        break;
      case TurnResult::Busy:
      case TurnResult::Overtaken:
      case TurnResult::Outdated:
      case TurnResult::Failed:
        EXPECT_EQ(note.words, "") << row.name;
        break;
      case TurnResult::Preempts:
        EXPECT_EQ(note.words, "Removing default/a makes room for the resize");
        EXPECT_EQ(note.reason, EventReason::Preempting);
        break;
      case TurnResult::Awaits:
      case TurnResult::Yields:
      case TurnResult::NodesTurn:
        EXPECT_EQ(note.words, "The resize waits: because") << row.name;
        EXPECT_EQ(note.reason, EventReason::Preempting);
        break;
      default:
        EXPECT_EQ(note.words, "No room is made for the resize: because") << row.name;
        EXPECT_EQ(note.reason, EventReason::FailedScheduling);
    }
  }
}

TEST(OwnerEvent, TheTimeComesLast) {
  OwnerEvent note = note_of(TurnResult::Yields, "x", "");
  EXPECT_EQ(in_full(note), "The resize waits: x");
  note.time = policy::Time{std::chrono::milliseconds(1'780'000'000'900)};
  EXPECT_EQ(in_full(note), "The resize waits: x, until 2026-05-28T20:26:40Z");
}

TEST(OwnerEvent, AnotherTimeIsNewsWhereItMattersAndHasMoved) {
  const Said said{.words = "a", .time = seconds(10), .time_matters = true, .expects_room = true};
  Said now = said;
  EXPECT_FALSE(is_news(said, now));
  now.time = seconds(24);
  EXPECT_FALSE(is_news(said, now));
  now.time = seconds(25);
  EXPECT_TRUE(is_news(said, now));
  now.time = seconds(-5);
  EXPECT_TRUE(is_news(said, now));
  now.time_matters = false;
  EXPECT_FALSE(is_news(said, now));
  now.time.reset();
  EXPECT_FALSE(is_news(said, now));
}

TEST(OwnerEvent, InWhatWayPromisedRoomComesIsNoNews) {
  const Said said{.words = "a", .time = seconds(10), .time_matters = true, .expects_room = true};
  Said now = said;
  now.words = "b";
  EXPECT_FALSE(is_news(said, now));
  now.expects_room = false;
  EXPECT_TRUE(is_news(said, now));
  EXPECT_TRUE(is_news({}, said));
}

}  // namespace
}  // namespace elbowroom::scheduler
