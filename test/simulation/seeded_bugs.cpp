// The simulation finds bugs: each of those that are seeded, within a bounded number of histories.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "base/seeded_bug.h"
#include "test/simulation/history.h"

namespace elbowroom {
inline namespace with_bugs {

SeededBug& seeded_bug() {
  static SeededBug bug = SeededBug::None;
  return bug;
}

}  // namespace with_bugs

namespace test {
namespace {

constexpr std::uint64_t kMostHistories = 300;

struct Named {
  SeededBug bug;
  const char* name;
};
constexpr std::array kBugs{
    Named{SeededBug::ActsBeforeSaved, "ActsBeforeSaved"},
    Named{SeededBug::BelievesLostWrites, "BelievesLostWrites"},
    Named{SeededBug::RetriesAtOnce, "RetriesAtOnce"},
    Named{SeededBug::ReplaysRemovals, "ReplaysRemovals"},
    Named{SeededBug::SkipsDryRun, "SkipsDryRun"},
    Named{SeededBug::ClearsPendingEarly, "ClearsPendingEarly"},
    Named{SeededBug::CountsTerminatingAsGone, "CountsTerminatingAsGone"},
    Named{SeededBug::TakesDeadlinesFromWall, "TakesDeadlinesFromWall"},
    Named{SeededBug::AddsLists, "AddsLists"},
    Named{SeededBug::LosesUnreadable, "LosesUnreadable"},
    Named{SeededBug::DropsDone, "DropsDone"},
    Named{SeededBug::JudgesWithoutRuntime, "JudgesWithoutRuntime"},
    Named{SeededBug::JudgesWithoutApi, "JudgesWithoutApi"},
    Named{SeededBug::ForgetsWhomItAskedToGo, "ForgetsWhomItAskedToGo"},
    Named{SeededBug::PreemptsAfterItsTurn, "PreemptsAfterItsTurn"},
    Named{SeededBug::KeepsPreemptionDisabled, "KeepsPreemptionDisabled"},
    Named{SeededBug::TakesFailedSaveForDone, "TakesFailedSaveForDone"},
    Named{SeededBug::SpendsShrinksAtOnce, "SpendsShrinksAtOnce"},
    Named{SeededBug::CarriesOutOlderCopy, "CarriesOutOlderCopy"},
    Named{SeededBug::DeletesBeforeIntentIsDurable, "DeletesBeforeIntentIsDurable"}};

class SeededBugs : public ::testing::TestWithParam<Named> {};

TEST_P(SeededBugs, IsFound) {
  seeded_bug() = GetParam().bug;
  std::uint64_t seed = 1;
  std::string found;
  for (; seed <= kMostHistories && found.empty(); ++seed) {
    const Outcome outcome = play(history_of(seed));
    if (!outcome.broken.empty()) found = outcome.broken.front();
  }
  seeded_bug() = SeededBug::None;
  EXPECT_FALSE(found.empty()) << "in " << kMostHistories << " histories";
  std::printf("found by history %llu: %s\n", static_cast<unsigned long long>(seed - 1),
              found.c_str());
}

INSTANTIATE_TEST_SUITE_P(Each, SeededBugs, ::testing::ValuesIn(kBugs),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(NoSeededBug, BreaksNothing) {
  seeded_bug() = SeededBug::None;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    EXPECT_TRUE(play(history_of(seed)).broken.empty()) << seed;
  }
}

}  // namespace
}  // namespace test
}  // namespace elbowroom
