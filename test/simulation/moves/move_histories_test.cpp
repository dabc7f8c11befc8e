// Histories of clusters in which two reschedulers move pods, in virtual time, with faults of every
// kind and with all that users and other programs do: whatever happens, an eviction has its uid and
// its debits, keeps within budgets and limits, and its owner rests; what is left over is taken
// back.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>

#include "test/simulation/moves/move_history.h"
#include "test/simulation/shortest_history.h"

namespace elbowroom::test {
namespace {

constexpr std::uint64_t kParts = 16;
#ifdef ELBOWROOM_SANITIZED
constexpr std::uint64_t kEach = 4;  // a sanitizer's run costs twenty times as much
#else
constexpr std::uint64_t kEach = 63;  // about 1,000 in all
#endif

// Each part must have met and done these several times, or it proves nothing.
constexpr const char* kHappened[] = {"(move)",
                                     "(came back)",
                                     "(EvictionBlocked)",
                                     "(eviction by another)",
                                     "(placed by another)",
                                     "Crash",
                                     "End",
                                     "Partition",
                                     "LostReply",
                                     "WatchStale",
                                     "Status/409"};

class MoveHistories : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(MoveHistories, KeepTheInvariants) {
  std::map<std::string, std::size_t> happened;
  const std::uint64_t first = GetParam() * 1000 + 1;
  for (std::uint64_t seed = first; seed < first + kEach; ++seed) {
    const MoveHistory history = move_history_of(seed);
    const MoveOutcome outcome = play(history);
    if (!outcome.broken.empty()) {
      FAIL() << "seed " << seed << ": " << outcome.broken.front()
             << "\nthe same again, with all that happens: build/bin/move_histories " << seed
             << "\nthe shortest history that breaks it:\n"
             << to_text(shortest(history, outcome.broken.front()));
    }
    for (const auto& [name, times] : outcome.faults) happened[name] += times;
    for (const auto& [name, times] : outcome.did) happened["(" + name + ")"] += times;
  }
  for (const char* name : kHappened) {
    if (kEach >= 60) {
      EXPECT_GE(happened[name], 3U) << name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, MoveHistories, ::testing::Range<std::uint64_t>(0, kParts));

TEST(MoveHistory, TheSameSeedIsTheSameHistoryAndPlaysTheSame) {
  EXPECT_EQ(move_history_of(11), move_history_of(11));
  EXPECT_NE(move_history_of(11), move_history_of(12));
  EXPECT_EQ(play(move_history_of(11), true).log, play(move_history_of(11), true).log);
}

}  // namespace
}  // namespace elbowroom::test
