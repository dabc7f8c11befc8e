// The histories of a cluster find bugs of the scheduler: each of those that are seeded, within the
// histories that every test run plays.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "base/seeded_bug.h"
#include "test/simulation/cluster_history.h"

namespace elbowroom {
inline namespace with_bugs {

SeededBug& seeded_bug() {
  static SeededBug bug = SeededBug::None;
  return bug;
}

}  // namespace with_bugs

namespace test {
namespace {

constexpr std::uint64_t kMostHistories = 250;  // the first two parts of those that every run plays

struct Named {
  SeededBug bug;
  const char* name;
};
constexpr std::array kBugs{Named{SeededBug::RemovesUnmarked, "RemovesUnmarked"},
                           Named{SeededBug::RemovesUnchecked, "RemovesUnchecked"},
                           Named{SeededBug::TakesNoLastLook, "TakesNoLastLook"},
                           Named{SeededBug::ForgetsVictims, "ForgetsVictims"},
                           Named{SeededBug::ForgetsAtHandover, "ForgetsAtHandover"},
                           Named{SeededBug::KeepsStaleMarks, "KeepsStaleMarks"},
                           Named{SeededBug::ChoosesAnew, "ChoosesAnew"},
                           Named{SeededBug::MissesPodLeft, "MissesPodLeft"},
                           Named{SeededBug::MissesRemovalEnd, "MissesRemovalEnd"},
                           Named{SeededBug::KeepsWaiting, "KeepsWaiting"},
                           Named{SeededBug::IgnoresFence, "IgnoresFence"},
                           Named{SeededBug::ActsUnseeing, "ActsUnseeing"},
                           Named{SeededBug::IgnoresYield, "IgnoresYield"},
                           Named{SeededBug::IgnoresContradiction, "IgnoresContradiction"},
                           Named{SeededBug::KeepsUnlistedPods, "KeepsUnlistedPods"},
                           Named{SeededBug::NeverLooksAgain, "NeverLooksAgain"}};

class SchedulerBugs : public ::testing::TestWithParam<Named> {};

TEST_P(SchedulerBugs, IsFound) {
  seeded_bug() = GetParam().bug;
  std::uint64_t seed = 1;
  std::string found;
  for (; seed <= kMostHistories && found.empty(); ++seed) {
    const ClusterOutcome outcome = play(cluster_history_of(seed));
    if (!outcome.broken.empty()) found = outcome.broken.front();
  }
  seeded_bug() = SeededBug::None;
  EXPECT_FALSE(found.empty()) << "in " << kMostHistories << " histories";
  std::printf("found by history %llu: %s\n", static_cast<unsigned long long>(seed - 1),
              found.c_str());
}

INSTANTIATE_TEST_SUITE_P(Each, SchedulerBugs, ::testing::ValuesIn(kBugs),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace test
}  // namespace elbowroom
