// Of the placements with the same ceiling, the one of least harm is taken.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "policy/model/removal_mark.h"
#include "test/gang_world.h"

namespace elbowroom::policy {
namespace {

using test::GangWorld;
using test::nodes_of;
using test::victims_of;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

TEST(GangHarm, FewerPodsGo) {
  GangWorld world;
  for (const char* node : {"node1", "node2", "node3", "node4"}) world.node(node, 1000);
  world.runs("x1", "node1", 10, 450);
  world.runs("x2", "node1", 10, 450);
  world.runs("y", "node2", 10, 900);
  world.runs("z", "node3", 10, 900);
  world.runs("high", "node4", 100, 900);
  world.members("m", 2, 900);
  EXPECT_THAT(victims_of(world.ask()), UnorderedElementsAre("y", "z"));
}

// A world of two nodes: "low", which a budget covers, and the more important "mid".
GangWorld with_a_covered_pod() {
  GangWorld world;
  world.train.standing.min_count = 1;
  world.node("node1", 1000);
  world.node("node2", 1000);
  world.runs("low", "node1", 10, 1000).labels["app"] = "low";
  world.runs("mid", "node2", 20, 1000);
  world.members("m", 1, 1000);
  return world;
}

TEST(GangHarm, APodDisruptionBudgetIsKeptWhereAnotherPodIsEnough) {
  GangWorld world = with_a_covered_pod();
  world.budgets.upstream = {{.ns = "default",
                             .name = "low",
                             .selector = LabelSelector{.match_labels = {{"app", "low"}}},
                             .disruptions_allowed = 0}};
  EXPECT_THAT(victims_of(world.ask()), ElementsAre("mid"));
  world.members("n", 1, 1000);
  world.train.standing.min_count = 2;
  const GroupSchedulingDecision got = world.ask();
  ASSERT_THAT(victims_of(got), UnorderedElementsAre("low", "mid"));
  EXPECT_EQ(got.budget_violations, 1);
  EXPECT_TRUE(got.victims[1].why.contains("sparing its disruption budget would not be enough"))
      << got.victims[1].why;
}

TEST(GangHarm, AnUnhealthyPodThatAPodDisruptionBudgetSparesBreaksNone) {
  GangWorld world = with_a_covered_pod();
  Pod& low = *std::ranges::find(world.pods, "low", &Pod::uid);
  low.phase = Phase::Running;
  std::erase_if(low.conditions, [](const Condition& each) { return each.type == kReady; });
  low.conditions.push_back(test::condition(kReady, "", "False"));
  world.budgets.upstream = {{.ns = "default",
                             .name = "low",
                             .selector = LabelSelector{.match_labels = {{"app", "low"}}},
                             .disruptions_allowed = 0}};
  EXPECT_THAT(victims_of(world.ask()), ElementsAre("mid")) << "no healthy Pod is desired";
  world.budgets.upstream[0].unhealthy = UnhealthyPodEviction::AlwaysAllow;
  const GroupSchedulingDecision got = world.ask();
  EXPECT_THAT(victims_of(got), ElementsAre("low"));
  EXPECT_EQ(got.budget_violations, 0);
}

TEST(GangHarm, ASoftDisruptionBudgetCostsNoPodOfHigherPriority) {
  GangWorld world = with_a_covered_pod();
  world.budgets.ours = {{.ns = "default",
                         .name = "low",
                         .selector = LabelSelector{.match_labels = {{"app", "low"}}},
                         .max_unavailable = IntOrPercent{0}}};
  const GroupSchedulingDecision got = world.ask();
  EXPECT_THAT(victims_of(got), ElementsAre("low"));
  EXPECT_EQ(got.budget_violations, 1);
  std::ranges::find(world.pods, "mid", &Pod::uid)->priority = 10;
  EXPECT_THAT(victims_of(world.ask()), ElementsAre("mid")) << "of one priority the budget decides";
}

TEST(GangHarm, AVictimThatWasMarkedForTheGangSaysSo) {
  for (const std::string uid : {"g-train", "another"}) {
    GangWorld world;
    world.train.standing.min_count = 1;
    world.node("node1", 1000);
    Pod& victim = world.runs("x", "node1", 10, 1000);
    victim.conditions.push_back(marking_condition(victim, kReasonPreemptionByScheduler, "for one",
                                                  {.uid = uid}, test::kNoon));
    world.members("m", 1, 1000);
    const GroupSchedulingDecision got = world.ask();
    ASSERT_THAT(victims_of(got), ElementsAre("x"));
    EXPECT_EQ(got.victims[0].why.contains("was marked to make room for this group already"),
              uid == "g-train")
        << got.victims[0].why;
  }
}

TEST(GangHarm, ASmallMemberIsEnoughForMinCount) {
  GangWorld world;
  world.train.standing.min_count = 1;
  world.node("node1", 3000);
  for (const char* pod : {"a", "b", "c"}) world.runs(pod, "node1", 10, 1000);
  world.members("big", 1, 3000);
  world.members("small", 1, 1000);
  const GroupSchedulingDecision got = world.ask();
  EXPECT_EQ(got.victims.size(), 1) << "the large member would cost three";
  ASSERT_EQ(got.placements.size(), 1);
  EXPECT_EQ(got.placements[0].pod, "default/small0");
}

// Each node taken by itself costs less, but the first one takes both members.
TEST(GangHarm, ANodeThatTakesTwoMembersForOneVictimIsFilled) {
  GangWorld world;
  world.node("node1", 2000);
  world.node("node2", 1000);
  world.node("node3", 1000);
  world.runs("wide", "node1", 10, 2000, 1);
  world.runs("y", "node2", 10, 1000, 5);
  world.runs("z", "node3", 10, 1000, 5);
  world.members("m", 2, 1000);
  EXPECT_THAT(victims_of(world.ask()), ElementsAre("wide"));
}

// On either of its nodes the group costs a member more than "y" does.
TEST(GangHarm, AGroupThatGoesMakesRoomOnAllItsNodes) {
  GangWorld world;
  world.train.standing.min_count = 3;
  world.node("node1", 2000);
  world.node("node2", 1000);
  world.node("node3", 1100);
  world.group(world.runs("x1", "node1", 10, 2000), "batch", 10, DisruptionMode::All);
  world.group(world.runs("x2", "node2", 10, 1000), "batch", 10, DisruptionMode::All);
  world.runs("y", "node3", 10, 1000);
  world.members("m", 3, 1000);
  EXPECT_THAT(victims_of(world.ask()), UnorderedElementsAre("x1", "x2"));
}

TEST(GangHarm, OfEqualHarmThePlacementIsTakenThatIsFoundByOneMemberAtATime) {
  GangWorld world;
  world.node("node1", 2000);
  world.node("node2", 1000);
  world.node("node3", 1000);
  for (const char* pod : {"x1", "x2"}) {
    world.group(world.runs(pod, "node1", 10, 1000), "batch", 10, DisruptionMode::All);
  }
  world.runs("y", "node2", 10, 1000);
  world.runs("z", "node3", 10, 1000);
  world.members("m", 2, 1000);
  EXPECT_THAT(victims_of(world.ask()), UnorderedElementsAre("y", "z"));
}

TEST(GangHarm, MembersThatKeepApartLookForTheCheapestNodesToo) {
  GangWorld world;
  for (const char* node : {"node1", "node2", "node3", "node4"}) world.node(node, 1000);
  for (const std::string node : {"node1", "node2"}) {
    for (int i = 0; i < 4; ++i) world.runs(node + "-" + std::to_string(i), node, 10, 250);
  }
  world.runs("y", "node3", 10, 1000);
  world.runs("z", "node4", 10, 1000);
  world.members("m", 2, 900);
  for (Pod& pod : world.pods) {
    if (!pod.node.empty()) continue;
    pod.labels["app"] = "train";
    pod.placement.required_anti_affinity = {
        {.selector = LabelSelector{.match_labels = {{"app", "train"}}},
         .namespaces = {"default"},
         .topology_key = "kubernetes.io/hostname"}};
  }
  const GroupSchedulingDecision got = world.ask();
  EXPECT_THAT(victims_of(got), UnorderedElementsAre("y", "z"));
  EXPECT_THAT(nodes_of(got), UnorderedElementsAre("node3", "node4"));
}

// The large member is placed first, while no other one counts for its spread.
TEST(GangHarm, AUnitStaysBesideMembersThatFitOneAfterTheOther) {
  GangWorld world;
  world.train.standing.min_count = 4;
  world.node("node1", 1000).labels["zone"] = "a";
  world.node("node2", 1800).labels["zone"] = "b";
  world.runs("high", "node1", 1000, 1000).labels["app"] = "x";
  world.runs("wide", "node2", 10, 1500);
  world.runs("small", "node2", 10, 100);
  world.members("large", 1, 1000);
  world.pods.back().placement.spread = {
      {.max_skew = 1,
       .topology_key = "zone",
       .selector = LabelSelector{.match_labels = {{"app", "x"}}}}};
  world.members("m", 3, 200);
  for (Pod& pod : world.pods) {
    if (pod.name.starts_with("m")) pod.labels["app"] = "x";
  }
  EXPECT_THAT(victims_of(world.ask()), ElementsAre("wide")) << world.ask().message;
}

// The large member fits beside "low" alone, whose room the small one needs.
TEST(GangHarm, AMemberFitsStillOnceAnotherOnesVictimIsGone) {
  GangWorld world;
  world.node("node1", 1000).labels["zone"] = "a";
  world.node("node2", 800).labels["zone"] = "b";
  world.runs("low", "node1", 10, 800).labels["app"] = "x";
  world.runs("high", "node2", 1000, 100).labels["app"] = "x";
  world.runs("also", "node2", 10, 100).labels["app"] = "x";
  world.members("large", 1, 600);
  world.pods.back().placement.spread = {
      {.max_skew = 1,
       .topology_key = "zone",
       .selector = LabelSelector{.match_labels = {{"app", "x"}}}}};
  world.members("m", 1, 800);
  EXPECT_THAT(victims_of(world.ask()), UnorderedElementsAre("low", "also")) << world.ask().message;
}

}  // namespace
}  // namespace elbowroom::policy
