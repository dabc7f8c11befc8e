// The histories with moves find these seeded bugs of the rescheduler, within those that each test
// run plays.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "test/simulation/bug_hunt.h"
#include "test/simulation/moves/move_history.h"
#include "test/simulation/seeded_bug.h"

namespace elbowroom::test {
namespace {

constexpr std::uint64_t kMostHistories = 500;  // the first four parts of those every run plays

constexpr std::array kInHistories{
    NamedBug{SeededBug::EvictsBeforeDebit, "EvictsBeforeDebit"},
    NamedBug{SeededBug::DebitsOneBudget, "DebitsOneBudget"},
    NamedBug{SeededBug::EvictsAnyUid, "EvictsAnyUid"},
    NamedBug{SeededBug::KeepsDebits, "KeepsDebits"},
    NamedBug{SeededBug::KeepsAvoidedNodes, "KeepsAvoidedNodes"},
    NamedBug{SeededBug::ForgetsRests, "ForgetsRests"},
    NamedBug{SeededBug::NeverClaims, "NeverClaims"},
    NamedBug{SeededBug::NeverRests, "NeverRests"},
    NamedBug{SeededBug::IgnoresHourlyLimit, "IgnoresHourlyLimit"},
    NamedBug{SeededBug::MovesWithoutLease, "MovesWithoutLease"},
    NamedBug{SeededBug::IgnoresReserve, "IgnoresReserve"},
    NamedBug{SeededBug::LeavesDestinationFree, "LeavesDestinationFree"},
    NamedBug{SeededBug::CountsNoPending, "CountsNoPending"}};

class BugsInHistories : public ::testing::TestWithParam<NamedBug> {};

TEST_P(BugsInHistories, IsFound) { expect_found(GetParam().bug, kMostHistories, move_history_of); }

const auto kNameOf = [](const auto& each) { return std::string(each.param.name); };
INSTANTIATE_TEST_SUITE_P(Each, BugsInHistories, ::testing::ValuesIn(kInHistories), kNameOf);

}  // namespace
}  // namespace elbowroom::test
