// The histories and clusters with moves find these seeded bugs of the rescheduler, within those
// that each test run plays.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "test/simulation/bug_hunt.h"
#include "test/simulation/moves/move_history.h"
#include "test/simulation/seeded_bug.h"

namespace elbowroom::test {
namespace {

constexpr std::uint64_t kMost = 500;  // the first four parts of those every run plays

constexpr std::array kInHistories{NamedBug{SeededBug::EvictsBeforeDebit, "EvictsBeforeDebit"},
                                  NamedBug{SeededBug::EvictsAnyUid, "EvictsAnyUid"},
                                  NamedBug{SeededBug::ForgetsRests, "ForgetsRests"},
                                  NamedBug{SeededBug::NeverRests, "NeverRests"},
                                  NamedBug{SeededBug::IgnoresHourlyLimit, "IgnoresHourlyLimit"},
                                  NamedBug{SeededBug::MovesWithoutLease, "MovesWithoutLease"}};
constexpr std::array kInClusters{NamedBug{SeededBug::IgnoresNodeLimit, "IgnoresNodeLimit"},
                                 NamedBug{SeededBug::IgnoresReserve, "IgnoresReserve"},
                                 NamedBug{SeededBug::ProtectsNoData, "ProtectsNoData"},
                                 NamedBug{SeededBug::AcceptsAnyGain, "AcceptsAnyGain"}};

class BugsInHistories : public ::testing::TestWithParam<NamedBug> {};
class BugsInClusters : public ::testing::TestWithParam<NamedBug> {};

TEST_P(BugsInHistories, IsFound) { expect_found(GetParam().bug, kMost, move_history_of); }
TEST_P(BugsInClusters, IsFound) { expect_found(GetParam().bug, kMost, move_cluster_of); }

const auto kNameOf = [](const auto& each) { return std::string(each.param.name); };
INSTANTIATE_TEST_SUITE_P(Each, BugsInHistories, ::testing::ValuesIn(kInHistories), kNameOf);
INSTANTIATE_TEST_SUITE_P(Each, BugsInClusters, ::testing::ValuesIn(kInClusters), kNameOf);

}  // namespace
}  // namespace elbowroom::test
