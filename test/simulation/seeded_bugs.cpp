// The simulation finds every seeded bug within a bounded number of histories.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "test/simulation/bug_hunt.h"
#include "test/simulation/history.h"
#include "test/simulation/seeded_bug.h"

namespace elbowroom::test {
namespace {

constexpr std::uint64_t kMostHistories = 300;

constexpr std::array kBugs{
    NamedBug{SeededBug::ActsBeforeSaved, "ActsBeforeSaved"},
    NamedBug{SeededBug::BelievesLostWrites, "BelievesLostWrites"},
    NamedBug{SeededBug::RetriesAtOnce, "RetriesAtOnce"},
    NamedBug{SeededBug::ReplaysRemovals, "ReplaysRemovals"},
    NamedBug{SeededBug::SkipsDryRun, "SkipsDryRun"},
    NamedBug{SeededBug::ClearsPendingEarly, "ClearsPendingEarly"},
    NamedBug{SeededBug::CountsTerminatingAsGone, "CountsTerminatingAsGone"},
    NamedBug{SeededBug::TakesDeadlinesFromWall, "TakesDeadlinesFromWall"},
    NamedBug{SeededBug::AddsLists, "AddsLists"},
    NamedBug{SeededBug::LosesUnreadable, "LosesUnreadable"},
    NamedBug{SeededBug::DropsDone, "DropsDone"},
    NamedBug{SeededBug::JudgesWithoutRuntime, "JudgesWithoutRuntime"},
    NamedBug{SeededBug::JudgesWithoutApi, "JudgesWithoutApi"},
    NamedBug{SeededBug::ForgetsWhomItAskedToGo, "ForgetsWhomItAskedToGo"},
    NamedBug{SeededBug::PreemptsAfterItsTurn, "PreemptsAfterItsTurn"},
    NamedBug{SeededBug::KeepsPreemptionDisabled, "KeepsPreemptionDisabled"},
    NamedBug{SeededBug::TakesFailedSaveForDone, "TakesFailedSaveForDone"},
    NamedBug{SeededBug::SpendsShrinksAtOnce, "SpendsShrinksAtOnce"},
    NamedBug{SeededBug::CarriesOutOlderCopy, "CarriesOutOlderCopy"},
    NamedBug{SeededBug::DeletesBeforeIntentIsDurable, "DeletesBeforeIntentIsDurable"},
    NamedBug{SeededBug::BelievesOldCheckpoint, "BelievesOldCheckpoint"},
    NamedBug{SeededBug::ClearsOthersCondition, "ClearsOthersCondition"},
    NamedBug{SeededBug::ForgetsWhatWent, "ForgetsWhatWent"},
    NamedBug{SeededBug::ChecksNoMemory, "ChecksNoMemory"},
    NamedBug{SeededBug::RebuildsFromDesired, "RebuildsFromDesired"},
    NamedBug{SeededBug::IgnoresCheckpoint, "IgnoresCheckpoint"},
    NamedBug{SeededBug::HasNoBreaker, "HasNoBreaker"},
    NamedBug{SeededBug::SyncsNoCheckpoint, "SyncsNoCheckpoint"},
    NamedBug{SeededBug::SyncsNoFolder, "SyncsNoFolder"},
    NamedBug{SeededBug::RaisesContainersFirst, "RaisesContainersFirst"}};

class SeededBugs : public ::testing::TestWithParam<NamedBug> {};

TEST_P(SeededBugs, IsFound) { expect_found(GetParam().bug, kMostHistories, history_of); }

INSTANTIATE_TEST_SUITE_P(Each, SeededBugs, ::testing::ValuesIn(kBugs),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(NoSeededBug, BreaksNothing) {
  seeded_bug() = SeededBug::None;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    EXPECT_TRUE(play(history_of(seed)).broken.empty()) << seed;
  }
}

}  // namespace
}  // namespace elbowroom::test
