// What a cluster looks like at one moment.
#include "policy/overview/overview.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "policy/model/removal_mark.h"
#include "test/node_world.h"

namespace elbowroom::policy {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using test::condition;
using test::deferred_to;
using test::figures;
using test::kNoon;
using test::pod_of_size;
using test::terminating;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

Node node_of(const std::string& name, std::int64_t cpu_m = 4000) {
  Node node = test::world_of(cpu_m).node;
  node.name = name;
  return node;
}

Pod on(const std::string& node, Pod pod) {
  pod.node = node;
  return pod;
}

// The victim as the scheduler leaves it, for a pod whose uid is its name.
Pod marked_for(Pod victim, const std::string& uid, std::int64_t generation) {
  victim.conditions.push_back(marking_condition(victim, kReasonPreemptionByScheduler, "makes room",
                                                {.uid = uid, .generation = generation}, kNoon));
  return victim;
}

ClusterScene scene_of(std::vector<Node> nodes, std::vector<Pod> pods) {
  return {.nodes = std::move(nodes), .pods = std::move(pods), .now = kNoon};
}

Pod with_status_since(Pod pod, std::string_view type, Time since) {
  for (Condition& each : pod.conditions) {
    if (each.type == type) each.last_transition = since;
  }
  return pod;
}

TEST(Overview, AnEmptyClusterHasNothing) {
  EXPECT_EQ(overview_of_cluster(scene_of({}, {})), Overview{.now = kNoon});
}

TEST(Overview, NodesAreInNaturalOrderAndSayWhatIsHeldPromisedAndFree) {
  const Pod web = deferred_to(pod_of_size("web", 100, figures(1000)), figures(2500));
  Pod impossible = deferred_to(pod_of_size("impossible", 0, figures(500)), figures(9000));
  impossible.conditions.back().reason = kReasonInfeasible;
  Pod done = pod_of_size("done", 0, figures(700));
  done.phase = Phase::Succeeded;
  Node off = node_of("node10");
  off.unschedulable = true;
  off.resize_preemption_owners = {"example.com/owner"};
  const Overview all = overview_of_cluster(
      scene_of({off, node_of("node2"), node_of("node1")},
               {web, impossible, done, on("node2", pod_of_size("big", 0, figures(5000)))}));
  ASSERT_THAT(all.nodes,
              ElementsAre(Field(&NodeOverview::node, "node1"), Field(&NodeOverview::node, "node2"),
                          Field(&NodeOverview::node, "node10")));
  EXPECT_EQ(all.nodes[0].pods, 2);
  EXPECT_EQ(all.nodes[0].held, figures(1500));
  EXPECT_EQ(all.nodes[0].promised, figures(1500));
  EXPECT_EQ(all.nodes[0].free.cpu.value, 2500);
  EXPECT_EQ(all.nodes[1].free.cpu.value, 0);  // held is above allocatable
  EXPECT_TRUE(all.nodes[2].unschedulable);
  EXPECT_THAT(all.nodes[2].policy_owners, ElementsAre("example.com/owner"));
}

TEST(Overview, AWaitingResizeSaysWhatItLacksAndWhoGoes) {
  Pod web = deferred_to(pod_of_size("web", 100, figures(1000)), figures(2500));
  web = with_status_since(std::move(web), kPodResizePending, kNoon - minutes(2));
  Pod low = pod_of_size("low", 0, figures(3000));
  low.termination_grace_seconds = 90;
  const Overview all = overview_of_cluster(scene_of({node_of("node1")}, {low, web}));
  ASSERT_EQ(all.waiting.size(), 1U);
  const WaitingResize& found = all.waiting[0];
  EXPECT_EQ(found.pod, "default/web");
  EXPECT_EQ(found.node, "node1");
  EXPECT_EQ(found.wait, ResizeWait::Deferred);
  EXPECT_EQ(found.since, kNoon - minutes(2));
  EXPECT_EQ(found.lacking, figures(1500));
  EXPECT_EQ(found.by, RoomMaker::Scheduler);
  EXPECT_EQ(found.outcome, "Preempt");
  EXPECT_THAT(found.victims, ElementsAre("default/low"));
  EXPECT_THAT(found.why, testing::StartsWith("the scheduler: removing 1 pod of lower priority"));
  EXPECT_THAT(found.next, HasSubstr("removes default/low"));
  EXPECT_EQ(found.expected, std::nullopt) << "nobody has removed it";
}

TEST(Overview, ATimeIsExpectedOnceThePodsThatMakeRoomLeave) {
  const Pod web = deferred_to(pod_of_size("web", 100, figures(1000)), figures(3500));
  const Pod first = pod_of_size("first", 0, figures(1500));
  const Pod second = pod_of_size("second", 0, figures(1500));
  const auto expected = [&](const Pod& a, const Pod& b) {
    return overview_of_cluster(scene_of({node_of("node1")}, {web, a, b})).waiting.at(0).expected;
  };
  EXPECT_EQ(expected(first, second), std::nullopt);
  EXPECT_EQ(expected(terminating(first, 10), second), std::nullopt);  // one does not suffice
  EXPECT_EQ(expected(terminating(first, 10), terminating(second, 25)), kNoon + seconds(25));
}

TEST(Overview, WhatIsNotKnownNamesNoVictim) {
  ClusterScene scene = scene_of({node_of("node1")},
                                {deferred_to(pod_of_size("web", 100, figures(1000)), figures(2500)),
                                 pod_of_size("low", 0, figures(3000))});
  scene.lacks = {"disruption budgets"};
  const Overview all = overview_of_cluster(std::move(scene));
  ASSERT_EQ(all.waiting.size(), 1U);
  EXPECT_EQ(all.waiting[0].outcome, "NotKnown");
  EXPECT_THAT(all.waiting[0].victims, IsEmpty());
  EXPECT_EQ(all.waiting[0].expected, std::nullopt);
}

TEST(Overview, WhyNobodyMakesRoomIsTold) {
  const auto why = [](std::int64_t wish, std::int32_t priority) {
    const Overview all = overview_of_cluster(
        scene_of({node_of("node1")},
                 {deferred_to(pod_of_size("web", priority, figures(1000)), figures(wish)),
                  pod_of_size("other", 50, figures(3000))}));
    return all.waiting.at(0).why;
  };
  EXPECT_THAT(why(2500, 10), testing::StartsWith("nobody: "));
  EXPECT_THAT(why(9000, 100), HasSubstr("enough capacity: cpu, requested: 9000"));
  EXPECT_THAT(why(500, 100), HasSubstr("its resize fits"));
}

TEST(Overview, EveryWayToWaitIsTold) {
  Pod infeasible = deferred_to(pod_of_size("infeasible", 0, figures(10)), figures(9000));
  infeasible.conditions.back().reason = kReasonInfeasible;
  Pod unjudged = pod_of_size("unjudged", 0, figures(10));
  unjudged.containers[0].desired.requests = figures(20);
  Pod shrinking = pod_of_size("shrinking", 0, figures(30));
  shrinking.containers[0].desired.requests = figures(20);
  shrinking.containers[0].allocated_requests = figures(20);
  const Overview all = overview_of_cluster(
      scene_of({node_of("node1")},
               {infeasible, unjudged, shrinking, pod_of_size("quiet", 0, figures(10)),
                terminating(deferred_to(pod_of_size("leaves", 0, figures(10)), figures(20)), 5)}));
  std::vector<std::string> told;
  for (const WaitingResize& each : all.waiting) {
    told.push_back(each.pod + " " + std::string(to_string(each.wait)));
  }
  EXPECT_THAT(told, testing::UnorderedElementsAre("default/infeasible Infeasible",
                                                  "default/unjudged Unjudged",
                                                  "default/shrinking InProgress"));
}

TEST(Overview, AResizeOfHigherPriorityIsFirst) {
  const Overview all = overview_of_cluster(scene_of(
      {node_of("node1", 10)}, {deferred_to(pod_of_size("a", 1, figures(5)), figures(10)),
                               deferred_to(pod_of_size("b", 2, figures(5)), figures(10))}));
  EXPECT_THAT(all.waiting, ElementsAre(Field(&WaitingResize::pod, "default/b"),
                                       Field(&WaitingResize::pod, "default/a")));
}

TEST(Overview, ALeavingPodNamesThePodThatItMakesRoomFor) {
  const Pod web = deferred_to(pod_of_size("web", 100, figures(1000)), figures(2500));
  Pod pending = pod_of_size("new", 0, figures(100));
  pending.node.clear();
  pending.nominated_node = "node1";
  Pod ended = terminating(pod_of_size("ended", 0, figures(5)), 10);
  ended.containers[0].state = RunState::Terminated;
  const Overview all = overview_of_cluster(scene_of(
      {node_of("node1")},
      {web, pending, ended, terminating(marked_for(pod_of_size("v1", 0, figures(5)), "web", 2), 10),
       terminating(marked_for(pod_of_size("v2", 0, figures(6)), "new", 1), 10),
       terminating(marked_for(pod_of_size("v3", 0, figures(7)), "gone", 1), 10),
       terminating(pod_of_size("v4", 0, figures(8)), -31)}));
  std::vector<std::string> told;
  for (const LeavingPod& each : all.leaving) told.push_back(each.pod + " for " + each.for_pod);
  EXPECT_THAT(told, ElementsAre("default/v1 for default/web", "default/v2 for default/new",
                                "default/v3 for ", "default/v4 for "));
  ASSERT_EQ(all.leaving.size(), 4U);
  EXPECT_EQ(all.leaving[0].deadline, kNoon + seconds(10));
  EXPECT_EQ(all.leaving[0].frees, figures(5));
  EXPECT_FALSE(all.leaving[0].overdue);
  EXPECT_TRUE(all.leaving[3].overdue);
}

TEST(Overview, BudgetsSayWhatTheyAllowAndRemovalsWhoMadeThem) {
  Pod healthy = pod_of_size("a", 0, figures(1));
  healthy.labels["app"] = "x";
  healthy.conditions.push_back(condition(kReady, ""));
  Pod other = healthy;
  other.ns = "other";
  other.uid = "other";
  PodDisruptionBudget pdb;
  pdb.ns = "default";
  pdb.name = "pdb10";
  pdb.selector = LabelSelector{};
  pdb.disruptions_allowed = 3;
  DisruptionBudget rate;
  rate.ns = "default";
  rate.name = "rate";
  rate.selector = LabelSelector{.match_labels = {{"app", "x"}}, .expressions = {}};
  rate.hard = true;
  rate.rate_disruptions = 1;
  rate.rate_per = std::chrono::hours(2);
  rate.recent = {{.pod = "old", .uid = "old", .time = kNoon - minutes(61), .by = "x"},
                 {.pod = "gone", .uid = "gone", .time = kNoon - minutes(60), .by = "x"},
                 {.pod = "late", .uid = "late", .time = kNoon - minutes(1), .by = "y"}};
  ClusterScene scene = scene_of({node_of("node1")}, {healthy, other});
  PodDisruptionBudget second = pdb;
  second.name = "pdb9";
  second.selector.reset();
  scene.budgets = {.upstream = {pdb, second}, .ours = {rate}};
  const Overview all = overview_of_cluster(std::move(scene));
  EXPECT_THAT(
      all.budgets,
      ElementsAre(
          BudgetOverview{.budget = "DisruptionBudget default/rate",
                         .hard = true,
                         .pods = 1,
                         .allowed = 0,
                         .next = kNoon + minutes(119)},
          BudgetOverview{.budget = "PodDisruptionBudget default/pdb9", .pods = 0, .allowed = 3},
          BudgetOverview{.budget = "PodDisruptionBudget default/pdb10", .pods = 1, .allowed = 3}));
  EXPECT_THAT(all.removals, ElementsAre(Field(&RecentRemoval::pod, "default/late"),
                                        Field(&RecentRemoval::pod, "default/gone")));
  EXPECT_EQ(all.removals[0].by, "y");
  EXPECT_EQ(all.removals[0].budget, "DisruptionBudget default/rate");
}

// A hard budget that allows none keeps the only possible victim.
TEST(Overview, HardBudgetsCountTheClustersPods) {
  Pod low = pod_of_size("low", 0, figures(3000));
  low.labels["app"] = "x";
  low.conditions.push_back(condition(kReady, ""));
  DisruptionBudget hard;
  hard.ns = "default";
  hard.name = "hard";
  hard.selector = LabelSelector{.match_labels = {{"app", "x"}}, .expressions = {}};
  hard.hard = true;
  hard.min_available = IntOrPercent{1};
  ClusterScene scene =
      scene_of({node_of("node1")},
               {low, deferred_to(pod_of_size("web", 100, figures(1000)), figures(2500))});
  scene.budgets.ours = {hard};
  EXPECT_EQ(overview_of_cluster(scene).waiting.at(0).outcome, "NoVictims");
  Pod second = low;
  second.uid = second.name = "second";
  scene.pods.push_back(on("node2", second));
  EXPECT_EQ(overview_of_cluster(scene).waiting.at(0).outcome, "Preempt");
}

// A group that goes whole is judged with its pods on other nodes.
TEST(Overview, AGroupOnAnotherNodeIsSeen) {
  const auto member = [](const std::string& name, const std::string& node) {
    Pod pod = on(node, pod_of_size(name, 0, figures(3000)));
    pod.scheduling_group = "train";
    pod.group = GroupStanding{.uid = "train", .mode = DisruptionMode::All};
    return pod;
  };
  Node bad = node_of("node2");
  const auto outcome = [&](NodeReady ready) {
    bad.ready = ready;
    const Overview all = overview_of_cluster(
        scene_of({node_of("node1"), bad},
                 {deferred_to(pod_of_size("web", 100, figures(1000)), figures(2500)),
                  member("m1", "node1"), member("m2", "node2")}));
    return all.waiting.at(0).outcome;
  };
  EXPECT_EQ(outcome(NodeReady::True), "Preempt");
  EXPECT_EQ(outcome(NodeReady::False), "NoVictims");
}

}  // namespace
}  // namespace elbowroom::policy
