// Sets of taints, by number, and what tolerations tolerate of them.
#include "policy/placement/taint_sets.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace elbowroom::policy {
namespace {

Taint taint(const std::string& value, TaintEffect effect = TaintEffect::NoSchedule) {
  return {.key = "dedicated", .value = value, .effect = effect};
}

Toleration toleration(const std::string& value) { return {.key = "dedicated", .value = value}; }

TEST(Tolerations, TolerateWhatTheySay) {
  const Taint tainted = taint("a");
  Toleration of_all = toleration("a");
  EXPECT_TRUE(tolerates(of_all, tainted));
  of_all.effect = TaintEffect::NoSchedule;
  EXPECT_TRUE(tolerates(of_all, tainted));
  of_all.effect = TaintEffect::NoExecute;
  EXPECT_FALSE(tolerates(of_all, tainted));
  EXPECT_FALSE(tolerates(toleration("b"), tainted));
  EXPECT_FALSE(tolerates({.key = "other", .op = TolerationOperator::Exists}, tainted));
  EXPECT_TRUE(tolerates({.key = "dedicated", .op = TolerationOperator::Exists}, tainted));
  EXPECT_TRUE(tolerates(Toleration{.op = TolerationOperator::Exists}, tainted));
  EXPECT_FALSE(tolerates({.key = "dedicated", .op = TolerationOperator::Comparison}, tainted));
}

TEST(TaintSets, EqualSetsHaveOneNumber) {
  TaintSets sets;
  EXPECT_EQ(sets.hold({}), 0U);
  const auto first = sets.hold({taint("a")});
  EXPECT_EQ(sets.hold({taint("a")}), first);
  EXPECT_NE(sets.hold({taint("b")}), first);
}

TEST(TaintSets, ANumberThatIsFreeIsUsedAgain) {
  TaintSets sets;
  const auto first = sets.hold({taint("a")});
  sets.let_go(first);
  EXPECT_EQ(sets.hold({taint("b")}), first);
}

TEST(TaintSets, WhatIsToleratedFollowsTheSets) {
  TaintSets sets;
  const auto a = sets.hold({taint("a")});
  const Tolerated& tolerated = sets.tolerated_by({toleration("b")});
  EXPECT_TRUE(tolerated.hard[0]);
  EXPECT_FALSE(tolerated.hard[a]);
  const auto b = sets.hold({taint("b")});
  const auto soft = sets.hold({taint("c", TaintEffect::PreferNoSchedule),
                               taint("d", TaintEffect::PreferNoSchedule),
                               taint("b", TaintEffect::PreferNoSchedule)});
  EXPECT_TRUE(tolerated.hard[b]);
  EXPECT_TRUE(tolerated.hard[soft]);
  EXPECT_EQ(tolerated.soft[soft], 2U);
  sets.let_go(a);
  EXPECT_EQ(sets.hold({taint("b"), taint("b", TaintEffect::NoExecute)}), a);
  EXPECT_TRUE(tolerated.hard[a]);
}

// Each node of a large cluster has a taint of its own, or one node has very many.
TEST(TaintSets, ManyTaintsCostLittle) {
  TaintSets sets;
  for (int i = 0; i < 20'000; ++i) (void)sets.hold({taint("value-" + std::to_string(i))});
  std::vector<Taint> many;
  for (int i = 0; i < 10'000; ++i) many.push_back(taint("many-" + std::to_string(i)));
  const auto number = sets.hold(many);
  EXPECT_FALSE(sets.tolerated_by({toleration("value-7")}).hard[number]);
  EXPECT_TRUE(
      sets.tolerated_by({{.key = "dedicated", .op = TolerationOperator::Exists}}).hard[number]);
}

}  // namespace
}  // namespace elbowroom::policy
