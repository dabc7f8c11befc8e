// Histories with DisruptionBudgets, in virtual time: schedulers and another program that evicts
// never go through a hard budget together, and no entry of a ledger is doubled or lost.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>

#include "test/simulation/cluster_history.h"
#include "test/simulation/shortest_history.h"

namespace elbowroom::test {
namespace {

constexpr std::uint64_t kParts = 16;
#ifdef ELBOWROOM_SANITIZED
constexpr std::uint64_t kEach = 5;  // a sanitizer's run costs twenty times as much
#else
constexpr std::uint64_t kEach = 126;  // more than 2,000 in all
#endif

// Each part must have met and done these several times, or it proves nothing.
constexpr const char* kHappened[] = {
    "(mark)",    "(delete)",   "(clear)",   "(debit)",   "(read a ledger)", "(debit by another)",
    "(contend)", "Crash",      "End",       "Partition", "LostReply",       "WatchStale",
    "WatchGone", "Status/409", "Status/403"};

class BudgetHistories : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(BudgetHistories, KeepTheInvariants) {
  std::map<std::string, std::size_t> happened;
  const std::uint64_t first = GetParam() * 1000 + 1;
  for (std::uint64_t seed = first; seed < first + kEach; ++seed) {
    const ClusterHistory history = budget_history_of(seed);
    const ClusterOutcome outcome = play(history);
    if (!outcome.broken.empty()) {
      FAIL() << "seed " << seed << ": " << outcome.broken.front()
             << "\nthe same again, with all that happens: build/bin/budget_histories " << seed
             << "\nthe shortest history that breaks it:\n"
             << to_text(shortest(history, outcome.broken.front()));
    }
    for (const auto& [name, times] : outcome.faults) happened[name] += times;
    for (const auto& [name, times] : outcome.did) happened["(" + name + ")"] += times;
  }
  const bool is_verbose = std::getenv("ELBOWROOM_VERBOSE") != nullptr;
  for (const char* name : kHappened) {
    if (kEach >= 100) {
      EXPECT_GE(happened[name], 3U) << name;
    }
    if (is_verbose) std::printf("%8zu %s\n", happened[name], name);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, BudgetHistories, ::testing::Range<std::uint64_t>(0, kParts));

TEST(BudgetHistory, TheSameSeedIsTheSameHistoryAndPlaysTheSame) {
  EXPECT_EQ(budget_history_of(11), budget_history_of(11));
  EXPECT_NE(budget_history_of(11), budget_history_of(12));
  EXPECT_EQ(play(budget_history_of(11), true).log, play(budget_history_of(11), true).log);
}

}  // namespace
}  // namespace elbowroom::test
