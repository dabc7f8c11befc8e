#include "policy/moves/node_load.h"

#include <gtest/gtest.h>

namespace elbowroom::policy {
namespace {

NodeLoad load(std::int64_t used_cpu, std::int64_t cpu, std::int64_t used_memory,
              std::int64_t memory) {
  NodeTotals figures;
  figures.cpu = cpu;
  figures.used_cpu = used_cpu;
  figures.memory = memory;
  figures.used_memory = used_memory;
  return NodeLoad(figures);
}

TEST(NodeLoad, BelowTheThresholdInBothIsUnderutilized) {
  EXPECT_TRUE(load(199, 1000, 0, 10).is_underutilized(20));
  EXPECT_FALSE(load(200, 1000, 0, 10).is_underutilized(20)) << "20 percent is not below 20";
  EXPECT_FALSE(load(0, 1000, 2, 10).is_underutilized(20));
  EXPECT_FALSE(load(0, 0, 0, 10).is_underutilized(20)) << "it has no cpu to give";
}

TEST(NodeLoad, AboveTheTargetInOneIsCrowded) {
  EXPECT_FALSE(load(500, 1000, 5, 10).is_crowded(50));
  EXPECT_TRUE(load(501, 1000, 0, 10).is_crowded(50));
  EXPECT_TRUE(load(0, 1000, 6, 10).is_crowded(50));
  EXPECT_FALSE(load(0, 0, 6, 10).is_crowded(50));
}

TEST(NodeLoad, TheGainIsTheDifferenceOfTheLargerSharesRoundedDown) {
  EXPECT_EQ(load(800, 1000, 1, 10).percent_above(load(100, 1000, 3, 10)), 50);
  EXPECT_EQ(load(2, 3, 0, 10).percent_above(load(1, 3, 0, 10)), 33);
  EXPECT_EQ(load(1, 3, 0, 10).percent_above(load(2, 3, 0, 10)), -34) << "down, not to zero";
  EXPECT_EQ(load(5, 6, 0, 10).percent_above(load(1, 3, 0, 10)), 50) << "exactly a half";
}

TEST(NodeLoad, AstronomicAmountsAreCompared) {
  const auto full = load(kMaxAmount, kMaxAmount, 0, kMaxAmount);
  EXPECT_EQ(full.percent_above(load(0, kMaxAmount, 0, kMaxAmount)), 100);
  Resources more;
  more.cpu.value = kMaxAmount;
  EXPECT_TRUE(full.with(more).is_crowded(99));
  EXPECT_TRUE(full.is_fuller_than(load(1, 2, 0, 1)));
}

}  // namespace
}  // namespace elbowroom::policy
