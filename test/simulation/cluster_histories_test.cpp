// Histories of a cluster with two schedulers on one Lease, in virtual time: room is always made
// once, for a reason, and by one of them. In a third of the histories pending pods are placed too,
// each once and where it fits, and every pod that waits at the end has a true reason.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "test/simulation/cluster_history.h"
#include "test/simulation/shortest_history.h"

namespace elbowroom::test {
namespace {

constexpr std::uint64_t kParts = 16;  // so that several cores have something to do
#ifdef ELBOWROOM_SANITIZED
constexpr std::uint64_t kEach = 3;  // a sanitizer's run costs twenty times as much
#else
constexpr std::uint64_t kEach = 125;  // histories that count: 2,000 in all
#endif
constexpr std::uint64_t kMostEach = 200;  // with those that are too short to count

// Each part must have met and done these several times, or it proves nothing.
constexpr const char* kHappened[] = {"(mark)",
                                     "(check)",
                                     "(delete)",
                                     "(clear)",
                                     "Crash",
                                     "End",
                                     "Partition",
                                     "ClockJump",
                                     "LostReply",
                                     "WatchStale",
                                     "WatchGone",
                                     "WatchSilent",
                                     "Hang",
                                     "Status/409",
                                     "Status/403",
                                     "Status/429/Retry-After",
                                     "Reordered",
                                     "Status/404",
                                     "(bind)",
                                     "(nominate)",
                                     "(denominate)",
                                     "(say why not)",
                                     "(odd pod)",
                                     "(big pod)",
                                     "(disabled by another)",
                                     "(pod with a claim)",
                                     "(reserve a volume)",
                                     "(have a volume made)"};

class ClusterHistories : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(ClusterHistories, KeepTheInvariants) {
  std::map<std::string, std::size_t> happened;
  std::uint64_t counted = 0;
  const std::uint64_t first = GetParam() * 1000 + 1;
  for (std::uint64_t seed = first; counted < kEach && seed < first + kMostEach; ++seed) {
    const ClusterHistory history = cluster_history_of(seed);
    const ClusterOutcome outcome = play(history);
    if (!outcome.broken.empty()) {
      FAIL() << "seed " << seed << ": " << outcome.broken.front()
             << "\nthe same again, with all that happens: build/bin/cluster_histories " << seed
             << "\nthe shortest history that breaks it:\n"
             << to_text(shortest(history, outcome.broken.front()));
    }
    for (const auto& [name, times] : outcome.faults) happened[name] += times;
    for (const auto& [name, times] : outcome.did) happened["(" + name + ")"] += times;
    if (outcome.counts()) ++counted;
  }
  EXPECT_EQ(counted, kEach) << "histories with enough observations and faults";
  const bool is_verbose = std::getenv("ELBOWROOM_VERBOSE") != nullptr;
  for (const char* name : kHappened) {
    if (kEach >= 100) {
      EXPECT_GE(happened[name], 5U) << name;
    }
    if (is_verbose) std::printf("%8zu %s\n", happened[name], name);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ClusterHistories, ::testing::Range<std::uint64_t>(0, kParts));

TEST(ClusterHistory, TheSameSeedIsTheSameHistoryAndPlaysTheSame) {
  EXPECT_EQ(cluster_history_of(11), cluster_history_of(11));
  EXPECT_NE(cluster_history_of(11), cluster_history_of(12));
  EXPECT_EQ(play(cluster_history_of(11), true).log, play(cluster_history_of(11), true).log);
}

}  // namespace
}  // namespace elbowroom::test
