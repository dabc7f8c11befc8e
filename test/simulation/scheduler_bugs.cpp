// The histories of a cluster find every seeded bug of the scheduler, within the histories that each
// test run plays.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "test/simulation/bug_hunt.h"
#include "test/simulation/cluster_history.h"
#include "test/simulation/seeded_bug.h"

namespace elbowroom::test {
namespace {

constexpr std::uint64_t kMostHistories = 1250;  // the first ten parts of those every run plays

constexpr std::uint64_t kMostWithBudgets = 126;  // of the first part
constexpr std::uint64_t kMostWithGroups = 60;    // of the first part; before 92

constexpr std::array kBugs{NamedBug{SeededBug::RemovesUnmarked, "RemovesUnmarked"},
                           NamedBug{SeededBug::RemovesUnchecked, "RemovesUnchecked"},
                           NamedBug{SeededBug::TakesNoLastLook, "TakesNoLastLook"},
                           NamedBug{SeededBug::ForgetsVictims, "ForgetsVictims"},
                           NamedBug{SeededBug::ForgetsAtHandover, "ForgetsAtHandover"},
                           NamedBug{SeededBug::KeepsStaleMarks, "KeepsStaleMarks"},
                           NamedBug{SeededBug::ChoosesAnew, "ChoosesAnew"},
                           NamedBug{SeededBug::MissesPodLeft, "MissesPodLeft"},
                           NamedBug{SeededBug::MissesRemovalEnd, "MissesRemovalEnd"},
                           NamedBug{SeededBug::KeepsWaiting, "KeepsWaiting"},
                           NamedBug{SeededBug::IgnoresFence, "IgnoresFence"},
                           NamedBug{SeededBug::ActsUnseeing, "ActsUnseeing"},
                           NamedBug{SeededBug::IgnoresYield, "IgnoresYield"},
                           NamedBug{SeededBug::IgnoresContradiction, "IgnoresContradiction"},
                           NamedBug{SeededBug::KeepsUnlistedPods, "KeepsUnlistedPods"},
                           NamedBug{SeededBug::NeverLooksAgain, "NeverLooksAgain"},
                           NamedBug{SeededBug::ForgetsRecord, "ForgetsRecord"},
                           NamedBug{SeededBug::GivesRoomTwice, "GivesRoomTwice"},
                           NamedBug{SeededBug::GivesLostBindingsAway, "GivesLostBindingsAway"},
                           NamedBug{SeededBug::NeverBindsAgain, "NeverBindsAgain"},
                           NamedBug{SeededBug::BindsBeforeVolumes, "BindsBeforeVolumes"},
                           NamedBug{SeededBug::BindsUnlooked, "BindsUnlooked"},
                           NamedBug{SeededBug::RemovesWithoutNode, "RemovesWithoutNode"},
                           NamedBug{SeededBug::TakesClaimsForMissing, "TakesClaimsForMissing"},
                           NamedBug{SeededBug::JudgesGated, "JudgesGated"},
                           NamedBug{SeededBug::ReturnsToRefuser, "ReturnsToRefuser"},
                           NamedBug{SeededBug::PromisesNothing, "PromisesNothing"},
                           NamedBug{SeededBug::KeepsNomination, "KeepsNomination"},
                           NamedBug{SeededBug::KeepsOutranked, "KeepsOutranked"},
                           NamedBug{SeededBug::ForgetsUnwritten, "ForgetsUnwritten"},
                           NamedBug{SeededBug::TakesNoLastLookForPods, "TakesNoLastLookForPods"},
                           NamedBug{SeededBug::BelievesEqualsForEver, "BelievesEqualsForEver"},
                           NamedBug{SeededBug::BindsPartOfGang, "BindsPartOfGang"},
                           NamedBug{SeededBug::CountsLeavingMembers, "CountsLeavingMembers"},
                           NamedBug{SeededBug::RemovesFirstOfWhole, "RemovesFirstOfWhole"},
                           NamedBug{SeededBug::MissesGroup, "MissesGroup"},
                           NamedBug{SeededBug::AsksForNoGroup, "AsksForNoGroup"},
                           NamedBug{SeededBug::ForgetsBoundMembers, "ForgetsBoundMembers"},
                           NamedBug{SeededBug::KeepsGangNominations, "KeepsGangNominations"},
                           NamedBug{SeededBug::BindsBesideVictims, "BindsBesideVictims"},
                           NamedBug{SeededBug::PlacesStrangersGang, "PlacesStrangersGang"},
                           NamedBug{SeededBug::TakesPlacedBack, "TakesPlacedBack"},
                           NamedBug{SeededBug::SaysPlacedTooEarly, "SaysPlacedTooEarly"},
                           NamedBug{SeededBug::DebitsNothing, "DebitsNothing"},
                           NamedBug{SeededBug::DeletesBeforeDebits, "DeletesBeforeDebits"},
                           NamedBug{SeededBug::RemovesThoughRefused, "RemovesThoughRefused"},
                           NamedBug{SeededBug::PassesHardBudgets, "PassesHardBudgets"},
                           NamedBug{SeededBug::BelievesConflicts, "BelievesConflicts"},
                           NamedBug{SeededBug::ForgetsOtherEntries, "ForgetsOtherEntries"},
                           NamedBug{SeededBug::EntersTwice, "EntersTwice"},
                           NamedBug{SeededBug::AsksNoHardBudget, "AsksNoHardBudget"},
                           NamedBug{SeededBug::DatesBack, "DatesBack"},
                           NamedBug{SeededBug::TakesBackWhatWent, "TakesBackWhatWent"}};

class SchedulerBugs : public ::testing::TestWithParam<NamedBug> {};

// A bug about groups is hunted in histories with groups; one that is not about placing is hunted
// without pending pods.
TEST_P(SchedulerBugs, IsFound) {
  if (GetParam().bug >= SeededBug::DebitsNothing) {
    return expect_found(GetParam().bug, kMostWithBudgets, budget_history_of);
  }
  if (GetParam().bug >= SeededBug::BindsPartOfGang) {
    return expect_found(GetParam().bug, kMostWithGroups, group_history_of);
  }
  const bool is_of_placing = GetParam().bug >= SeededBug::GivesRoomTwice;
  expect_found(GetParam().bug, kMostHistories,
               is_of_placing ? cluster_history_of : resize_history_of);
}

INSTANTIATE_TEST_SUITE_P(Each, SchedulerBugs, ::testing::ValuesIn(kBugs),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace elbowroom::test
