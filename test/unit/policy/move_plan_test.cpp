#include "policy/moves/move_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/pods.h"

namespace elbowroom::policy {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// A crowded node of 4 cpu, and an empty one beside it.
struct MoveWorld {
  std::vector<Node> nodes{test::node(4000, 64 * test::kGi, "node-1"),
                          test::node(4000, 64 * test::kGi, "node-2")};
  std::vector<Pod> pods{};
  Budgets budgets{};
  MoveRules rules{.policies = {.underutilized_node = {.enabled = true}}};

  Pod& add(const std::string& name, std::int64_t cpu, std::int32_t priority = 0) {
    Pod pod = test::running_pod(name, cpu, 0, priority);
    pod.controller = Owner{.kind = "ReplicaSet", .name = name, .uid = "owner-of-" + name};
    pods.push_back(std::move(pod));
    return pods.back();
  }
  [[nodiscard]] MovePlan plan() const {
    return plan_moves({.nodes = nodes, .pods = pods, .budgets = budgets}, rules);
  }
  [[nodiscard]] std::vector<std::string> moved() const {
    std::vector<std::string> names;
    for (const Move& each : plan().moves) names.push_back(each.pod);
    return names;
  }
};

TEST(MovePlan, TheLeastImportantPodLeavesACrowdedNodeFirst) {
  MoveWorld world;
  world.add("a", 1000, 10);
  world.add("b", 1000, 5);
  world.add("c", 1000, 20);
  const MovePlan plan = world.plan();
  ASSERT_THAT(plan.moves, SizeIs(1)) << "then node-1 is at 50 percent";
  EXPECT_EQ(plan.moves[0].pod, "default/b");
  EXPECT_EQ(plan.moves[0].from, "node-1");
  EXPECT_THAT(plan.moves[0].could, ElementsAre("node-2"));
  EXPECT_EQ(plan.moves[0].expected, "node-2");
  EXPECT_EQ(plan.moves[0].gain, 50) << "75 percent, less 25 with the pod";
  EXPECT_THAT(plan.blocked, IsEmpty());
}

TEST(MovePlan, WithoutAPolicyNothingMoves) {
  MoveWorld world;
  world.add("a", 3000);
  world.rules.policies = {};
  EXPECT_THAT(world.moved(), IsEmpty());
}

TEST(MovePlan, ANodeThatWouldBeCrowdedIsNotMovedTo) {
  MoveWorld world;
  world.add("a", 2500);
  EXPECT_THAT(world.moved(), IsEmpty());
}

TEST(MovePlan, OneOfAnOwnerAndSoManyInAPass) {
  MoveWorld world;
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) world.add(name, 600);
  world.pods[1].controller = world.pods[0].controller;
  world.rules.policies.underutilized_node.target = 10;
  world.rules.policies.underutilized_node.threshold = 10;
  EXPECT_THAT(world.moved(), IsEmpty()) << "node-2 would be above the target";
  world.rules.policies.underutilized_node.target = 30;
  EXPECT_THAT(world.moved(), SizeIs(2)) << "as many as node-2 may hold";
  world.rules.policies.underutilized_node.max_moves = 1;
  EXPECT_THAT(world.moved(), SizeIs(1));
}

TEST(MovePlan, PodsThatNobodyCreatesElsewhereStay) {
  const auto stays = [](auto change) {
    MoveWorld world;
    change(world.add("a", 3000), world);
    world.add("b", 100);
    world.pods.back().controller.reset();
    return world.moved().empty();
  };
  MoveWorld plain;
  plain.rules.policies.underutilized_node.target = 80;
  plain.add("a", 3000);
  plain.add("b", 400);
  EXPECT_THAT(plain.moved(), ElementsAre("default/b"));
  EXPECT_TRUE(stays([](Pod& pod, MoveWorld&) { pod.controller.reset(); }));
  EXPECT_TRUE(stays([](Pod& pod, MoveWorld&) { pod.controller->kind = "DaemonSet"; }));
  EXPECT_TRUE(stays([](Pod& pod, MoveWorld&) { pod.deletion = Time{std::chrono::hours(1)}; }));
  EXPECT_TRUE(stays([](Pod& pod, MoveWorld&) { pod.is_static = true; }));
  EXPECT_TRUE(stays([](Pod& pod, MoveWorld&) { pod.priority = 2'000'000'000; }));
}

TEST(MovePlan, CordonedAndUnreadyNodesTakeNoPart) {
  MoveWorld world;
  world.add("a", 1500);
  world.add("b", 1500);
  EXPECT_THAT(world.moved(), SizeIs(1));
  world.nodes[1].unschedulable = true;
  EXPECT_THAT(world.moved(), IsEmpty());
  world.nodes[1].unschedulable = false;
  world.nodes[1].taints = {{.key = "dedicated", .value = "", .effect = TaintEffect::NoSchedule}};
  EXPECT_THAT(world.moved(), IsEmpty());
  world.nodes[1].taints.clear();
  world.nodes[0].unschedulable = true;
  EXPECT_THAT(world.moved(), IsEmpty());
  world.nodes[0].unschedulable = false;
  world.nodes[0].ready = NodeReady::Unknown;
  EXPECT_THAT(world.moved(), IsEmpty());
}

TEST(MovePlan, ABudgetBlocksAndAnotherPodGoes) {
  MoveWorld world;
  world.add("a", 1500).labels = {{"app", "db"}};
  world.add("b", 1500, 5);
  PodDisruptionBudget budget{.ns = "default", .name = "db", .disruptions_allowed = 0};
  budget.selector = LabelSelector{.match_labels = {{"app", "db"}}, .expressions = {}};
  world.budgets.upstream = {budget};
  const MovePlan plan = world.plan();
  ASSERT_THAT(plan.blocked, SizeIs(1));
  EXPECT_EQ(plan.blocked[0].pod, "default/a");
  EXPECT_THAT(plan.blocked[0].by, HasSubstr("default/db"));
  ASSERT_THAT(plan.moves, SizeIs(1));
  EXPECT_EQ(plan.moves[0].pod, "default/b");
}

TEST(MovePlan, EachMoveIsChargedToItsBudgets) {
  MoveWorld world;
  world.rules.policies.underutilized_node.target = 20;
  for (const char* name : {"a", "b", "c"}) world.add(name, 300).labels = {{"app", "db"}};
  DisruptionBudget budget;
  budget.ns = "default";
  budget.name = "db";
  budget.selector = LabelSelector{.match_labels = {{"app", "db"}}, .expressions = {}};
  budget.rate_disruptions = 1;
  budget.rate_per = std::chrono::hours(1);
  world.nodes[0].allocatable = test::amounts(1000, 64 * test::kGi);
  EXPECT_THAT(world.plan().moves, SizeIs(2));
  world.budgets.ours = {budget};
  const MovePlan plan = world.plan();
  EXPECT_THAT(plan.moves, SizeIs(1));
  EXPECT_THAT(plan.blocked, SizeIs(2));
}

TEST(MovePlan, ThePendingPodKeepsTheRoomThatItWouldGet) {
  MoveWorld world;
  world.add("a", 1500);
  world.add("b", 1500, 5);
  Pod waiting = test::running_pod("waits", 2500);
  waiting.node.clear();
  waiting.phase = Phase::Pending;
  world.pods.push_back(waiting);
  EXPECT_THAT(world.moved(), IsEmpty());
}

TEST(MovePlan, TheFullestNodeIsRelievedFirst) {
  MoveWorld world;
  world.nodes.push_back(test::node(4000, 64 * test::kGi, "node-3"));
  world.add("a", 1000);
  world.add("b", 1400);
  for (const char* name : {"c", "d"}) world.add(name, 1500).node = "node-3";
  world.rules.policies.underutilized_node.max_moves = 1;
  const MovePlan plan = world.plan();
  ASSERT_THAT(plan.moves, SizeIs(1));
  EXPECT_EQ(plan.moves[0].from, "node-3");
}

// ---- AffinityPreference ----

struct PreferenceWorld : MoveWorld {
  PreferenceWorld() {
    rules.policies = {.affinity_preference = {.enabled = true, .min_gain = 30}};
    nodes.push_back(test::node(4000, 64 * test::kGi, "node-3"));
    nodes[1].labels["zone"] = "b";
    nodes[2].labels["zone"] = "b";
    nodes[2].labels["disk"] = "ssd";
  }
  static PreferredNodes prefers(const std::string& key, std::int32_t weight) {
    return {
        .weight = weight,
        .term = {.labels = {{.key = key, .op = NodeOperator::Exists, .values = {}}}, .names = {}}};
  }
};

TEST(MovePlan, APodMovesWhereMoreOfItsPreferencesAreMet) {
  PreferenceWorld world;
  world.add("a", 100).placement.preferred_nodes = {PreferenceWorld::prefers("zone", 40),
                                                   PreferenceWorld::prefers("disk", 20)};
  const MovePlan plan = world.plan();
  ASSERT_THAT(plan.moves, SizeIs(1));
  EXPECT_EQ(plan.moves[0].policy, MovePolicy::AffinityPreference);
  EXPECT_EQ(plan.moves[0].gain, 100) << "on node-3";
  EXPECT_THAT(plan.moves[0].could, ElementsAre("node-2", "node-3"));
  EXPECT_EQ(plan.moves[0].expected, "node-3");
}

TEST(MovePlan, ANodeMayBePreferredByItsName) {
  PreferenceWorld world;
  world.add("a", 100).placement.preferred_nodes = {
      {.weight = 40,
       .term = {
           .labels = {},
           .names = {{.key = "metadata.name", .op = NodeOperator::In, .values = {"node-3"}}}}}};
  const MovePlan plan = world.plan();
  ASSERT_THAT(plan.moves, SizeIs(1));
  EXPECT_THAT(plan.moves[0].could, ElementsAre("node-3"));
}

TEST(MovePlan, ThePendingPodsRoomIsKeptOnceHoweverManyPodsAreTried) {
  PreferenceWorld world;
  for (const char* name : {"a", "b"}) {
    world.add(name, 1250).placement.preferred_nodes = {PreferenceWorld::prefers("disk", 40)};
  }
  Pod waiting = test::running_pod("waits", 1500);
  waiting.node.clear();
  waiting.phase = Phase::Pending;
  waiting.placement.node_selector = {{"disk", "ssd"}};
  world.pods.push_back(waiting);
  EXPECT_THAT(world.moved(), SizeIs(2)) << "then node-3 is full";
  world.pods.back().containers[0].desired.requests.cpu.value += 1;
  EXPECT_THAT(world.moved(), SizeIs(1));
}

TEST(MovePlan, ALesserGainIsNotWorthAMove) {
  PreferenceWorld world;
  Pod& pod = world.add("a", 100);
  pod.placement.preferred_nodes = {PreferenceWorld::prefers("disk", 29),
                                   PreferenceWorld::prefers("nothing", 71)};
  EXPECT_THAT(world.moved(), IsEmpty());
  world.pods[0].placement.preferred_nodes[0].weight = 31;
  EXPECT_THAT(world.moved(), SizeIs(1)) << "30.3 percent";
}

TEST(MovePlan, OnePercentIsTheLeastGain) {
  PreferenceWorld world;
  world.rules.policies.affinity_preference.min_gain = 0;
  Pod& pod = world.add("a", 100);
  pod.placement.preferred_nodes = {PreferenceWorld::prefers("nothing", 99)};
  EXPECT_THAT(world.moved(), IsEmpty());
  world.pods[0].placement.preferred_nodes.push_back(PreferenceWorld::prefers("disk", 1));
  EXPECT_THAT(world.moved(), SizeIs(1));
}

// Both policies want to move it, and each of them tries it out in the room.
TEST(MovePlan, ARoomIsAsBeforeWhereBothPoliciesWantAPod) {
  PreferenceWorld world;
  world.rules.policies.underutilized_node.enabled = true;
  world.add("a", 1500).placement.preferred_nodes = {PreferenceWorld::prefers("zone", 40),
                                                    PreferenceWorld::prefers("disk", 20)};
  world.add("b", 1500, 5);
  ClusterRoom room = room_of({.nodes = world.nodes, .pods = world.pods, .budgets = world.budgets});
  const MoveScene scene{
      .room = room,
      .pods_on =
          [&](std::string_view node) {
            std::vector<Pod> pods = world.pods;
            std::erase_if(pods, [&](const Pod& each) { return each.node != node; });
            return pods;
          },
      .preferring = [&] { return PodsByNode{{"node-1", {world.pods[0]}}}; },
      .pending = [] { return std::vector<Pod>(); },
      .replicas_of = [](const Pod& pod) { return std::vector<Replica>{*replica_of(pod)}; },
      .budgets_of = [](const std::string&) { return Budgets(); },
      .named_by = [](const Ledger&, const std::string&) { return std::vector<Pod>(); },
      .owner = [](std::string_view) -> const MoveOwner* { return nullptr; }};
  const std::uint32_t node = *room.find_node("node-1");
  EXPECT_THAT(plan_moves(scene, world.rules, {}).moves, SizeIs(1));
  EXPECT_EQ(room.figures()[node].used_cpu, 3000);
  EXPECT_EQ(room.figures()[*room.find_node("node-3")].used_cpu, 0);
}

}  // namespace
}  // namespace elbowroom::policy
