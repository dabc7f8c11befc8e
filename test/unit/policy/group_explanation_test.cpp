// What a pod group waits for.
#include "policy/placement/group_explanation.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "test/gang_world.h"

namespace elbowroom::policy {
namespace {

using test::GangWorld;

// One member has a node, two are pending and one is gated; others are over.
struct Group : GangWorld {
  explicit Group(std::optional<std::int32_t> min_count) {
    train.standing.min_count = min_count;
    node("node1", 4000);
    for (const char* name : {"bound", "over", "goes"}) {
      runs(name, "node1", 0, 100).scheduling_group = "train";
    }
    pods[1].phase = Phase::Succeeded;
    pods[2].deletion = test::kNoon;
    members("m", 2, 600);
    pods[3].scheduler_name = "elbowroom";
    pods[4].scheduler_name = "another";
    members("gated", 1, 600);
    pods.back().placement.gates = {"later"};
    pods.back().scheduler_name = "a-third";
    runs("stranger", "node1", 0, 100);
    for (Pod& pod : pods) {
      if (pod.scheduling_group == "train") pod.group = train.standing;
    }
  }
  [[nodiscard]] GroupExplanation explained() const {
    return explain_group({.nodes = nodes, .pods = pods, .budgets = budgets, .now = test::kNoon},
                         train);
  }
};

TEST(GroupExplanation, EveryMemberThatIsNotOverExists) {
  const Group group(6);
  const std::string lacks = "2 more pods (minCount is 6, and 4 exist)";
  EXPECT_EQ(members_wait_for(group.pods, group.train), lacks);
  const GroupExplanation about = group.explained();
  EXPECT_EQ(about.waits_for, lacks);
  EXPECT_EQ(about.summary,
            "pod group default/train, a gang (minCount 6); 1 pod has a node, 3 wait");
}

TEST(GroupExplanation, WhatFitsWaitsForTheSchedulersOfItsPendingPods) {
  const Group group(std::nullopt);
  EXPECT_EQ(group.explained().waits_for,
            "its scheduler (another and elbowroom): 2 pods fit as things are");
  EXPECT_EQ(members_wait_for(group.pods, group.train), "nodes for default/m0 and default/m1");
}

TEST(GroupExplanation, WhereAllThatWaitAreGatedTheirGatesCount) {
  Group group(2);
  std::erase_if(group.pods, [](const Pod& pod) { return pod.name.starts_with("m"); });
  EXPECT_EQ(group.explained().waits_for, "the scheduling gates of default/gated0 to be removed");
}

TEST(GroupExplanation, WhereTheGatedOnesAreNeededForMinCountTheirGatesCount) {
  const Group group(4);
  const std::string gates = "the scheduling gates of default/gated0 to be removed";
  EXPECT_EQ(group.explained().waits_for, gates);
  EXPECT_EQ(members_wait_for(group.pods, group.train), gates);
  EXPECT_EQ(members_wait_for(group.pods, Group(3).train), "nodes for default/m0 and default/m1");
}

TEST(GroupExplanation, AMemberThatSaysAnotherPriorityIsNamed) {
  Group group(3);
  for (Pod& pod : group.pods) pod.priority = pod.name == "m1" ? 7 : 100;
  const GroupExplanation about = group.explained();
  const auto others = other_priorities(about);
  ASSERT_EQ(others.size(), 1U);
  EXPECT_EQ(others[0]->pod, "default/m1");
}

}  // namespace
}  // namespace elbowroom::policy
