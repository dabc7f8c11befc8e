// What resource claims take of a node's cpu and memory, which their pods' status says: it is part
// of every charge, and a claim that pods share counts once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "policy/model/charge.h"
#include "policy/resize/resize_report.h"
#include "test/gang_world.h"
#include "test/node_world.h"

namespace elbowroom::policy {
namespace {

using test::ClusterWorld;
using test::deferred_to;
using test::figures;
using test::GangWorld;
using test::NodeWorld;
using test::pod_of_size;
using test::victims_of;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using Outcome = PreemptionOutcome;

TEST(ClaimedResources, ArePartOfEachChargeOnce) {
  Pod pod = pod_of_size("a", 0, figures(1000));
  pod.claimed = {{"c", figures(2000)}, {"", figures(10)}};
  EXPECT_EQ(totals_of(pod).desired, figures(3010));
  EXPECT_EQ(totals_of(pod).allocated, figures(3010));
  EXPECT_EQ(totals_of(pod).actual, figures(1000)) << "as the node reports it";
  pod.containers[0].actual_requests = figures(3010);
  EXPECT_EQ(cluster_charge(pod), figures(3010)) << "a node reports it with the claims";
  EXPECT_EQ(held_charge(pod), figures(3010));
  EXPECT_EQ(resizing_charge(pod), figures(3010));
  pod.containers[0].actual_requests.reset();
  EXPECT_EQ(totals_of(pod).actual, figures(3010));
}

TEST(ClaimedResources, AreWithinARequestAtPodLevel) {
  Pod pod = pod_of_size("a", 0, figures(1000, 5));
  pod.claimed = {{"c", figures(2000, 3)}};
  pod.pod_level.desired.requests = figures(2500);
  EXPECT_EQ(totals_of(pod).desired, figures(2500, 8)) << "memory is not requested at pod level";
  ASSERT_EQ(shareable_claims(pod).size(), 1);
  EXPECT_EQ(shareable_claims(pod)[0].claim, "default/c");
  EXPECT_EQ(shareable_claims(pod)[0].amounts, figures(0, 3));
}

TEST(ClaimedResources, AreInWhatANodeReportsAtPodLevel) {
  Pod pod = pod_of_size("a", 0, figures(1000));
  pod.claimed = {{"c", figures(2000)}};
  pod.pod_level.allocated_requests = pod.pod_level.actual_requests = figures(3000);
  EXPECT_EQ(cluster_charge(pod), figures(3000));
  EXPECT_EQ(held_charge(pod), figures(3000));
}

TEST(ClaimedResources, AreHeldWhileAResizeIsInfeasible) {
  Pod pod = pod_of_size("a", 0, figures(1000));
  pod.claimed = {{"c", figures(2000)}};
  pod.containers[0].desired.requests = figures(9000);
  pod.conditions = {test::condition(kPodResizePending, kReasonInfeasible)};
  EXPECT_EQ(cluster_charge(pod), figures(3000));
}

TEST(ClaimedResources, OfTwoThatContradictEachOtherTheLargerCounts) {
  for (const auto& [first, second] : {std::pair(1, 2), std::pair(2, 1)}) {
    ChargeSum sum;
    sum.add(figures(10), {{"default/c", figures(first, 4)}});
    sum.add(figures(10), {{"default/c", figures(second)}});
    EXPECT_EQ(sum.total(), figures(22, 4));
  }
}

// ---- where pending pods are placed ----

// Two pods of 500m on a node of 4 cpu, each with a claim of 2 cpu of that name.
ClusterWorld with_claims(const std::string& of_a, const std::string& of_b) {
  ClusterWorld world;
  world.node("node1", 4000);
  world.runs("a", "node1", 0, 500, 1).claimed = {{of_a, figures(2000)}};
  world.runs("b", "node1", 0, 500, 2).claimed = {{of_b, figures(2000)}};
  return world;
}

SchedulingResult result_for(const ClusterWorld& world, std::int64_t cpu_m) {
  return world.ask(ClusterWorld::pending("new", 0, cpu_m)).result;
}

TEST(ClaimedResources, OfNeighborsLeaveNoRoom) {
  ClusterWorld world = with_claims("c", "c");
  world.pods.pop_back();
  EXPECT_EQ(result_for(world, 1500), SchedulingResult::Bind);
  EXPECT_EQ(result_for(world, 1501), SchedulingResult::Unschedulable);
}

TEST(ClaimedResources, AClaimThatPodsShareCountsOnce) {
  EXPECT_EQ(result_for(with_claims("c", "c"), 1000), SchedulingResult::Bind);
  EXPECT_EQ(result_for(with_claims("c", "c"), 1001), SchedulingResult::Unschedulable);
  EXPECT_EQ(result_for(with_claims("c", "d"), 1), SchedulingResult::Unschedulable);
  EXPECT_EQ(result_for(with_claims("", ""), 1), SchedulingResult::Unschedulable)
      << "overhead is each pod's own";
  ClusterWorld world = with_claims("c", "c");
  world.pods[1].ns = "other";
  EXPECT_EQ(result_for(world, 1), SchedulingResult::Unschedulable) << "another claim of that name";
}

TEST(ClaimedResources, TheRemovalOfOnePodFreesNothingThatAnotherOneShares) {
  const ClusterWorld world = with_claims("c", "c");
  const auto victims = [&](std::int64_t cpu_m) {
    std::vector<std::string> names;
    for (const auto& each : world.ask(ClusterWorld::pending("new", 100, cpu_m)).victims) {
      names.push_back(each.uid);
    }
    return names;
  };
  EXPECT_THAT(victims(1500), UnorderedElementsAre("b"));
  EXPECT_THAT(victims(1501), UnorderedElementsAre("a", "b")) << "then the claim is free";
  EXPECT_THAT(victims(4000), UnorderedElementsAre("a", "b"));
}

TEST(ClaimedResources, AnotherPodThatStaysKeepsTheClaim) {
  ClusterWorld world = with_claims("c", "c");
  world.pods[0].priority = 1000;
  const Pod pod = ClusterWorld::pending("new", 100, 1501);
  EXPECT_EQ(world.ask(pod).result, SchedulingResult::Unschedulable);
}

TEST(ClaimedResources, ARoomForgetsAClaimWithItsLastPod) {
  ClusterWorld world = with_claims("c", "c");
  const Budgets none;
  ClusterRoom room = room_of({.nodes = world.nodes, .pods = world.pods, .budgets = none});
  const auto used = [&room] { return room.nodes()[0].used; };
  EXPECT_EQ(used(), figures(3000));
  room.remove(world.pods[0]);
  EXPECT_EQ(used(), figures(2500));
  room.remove(world.pods[1]);
  EXPECT_EQ(used(), figures(0));
  room.add(world.pods[0]);
  EXPECT_EQ(used(), figures(2500));
}

TEST(ClaimedResources, AGangCountsAsSinglePodsDo) {
  for (const auto& [cpu, victims] : {std::pair(1500, 1U), std::pair(1501, 2U)}) {
    GangWorld world;
    static_cast<ClusterWorld&>(world) = with_claims("c", "c");
    world.train.standing.min_count = 1;
    world.members("m", 1, cpu);
    EXPECT_EQ(victims_of(world.ask()).size(), victims);
  }
}

// ---- where resizes wait ----

// "web" holds 1 of 4 cpu and asks for `wants`; "a" and "b" hold 500m each and share 1 cpu.
NodeWorld with_deferred(std::int64_t wants) {
  NodeWorld world = test::world_of(4000);
  world.pods = {deferred_to(pod_of_size("web", 1000, figures(1000)), figures(wants)),
                pod_of_size("a", 0, figures(500), 1), pod_of_size("b", 0, figures(500), 2)};
  for (Pod& pod : world.pods) {
    if (pod.name != "web") pod.claimed = {{"c", figures(1000)}};
  }
  return world;
}

TEST(ClaimedResources, AResizeCountsASharedClaimOnce) {
  EXPECT_THAT(test::plan(with_deferred(2000), "web").message.full(), HasSubstr("it fits by now"));
  EXPECT_THAT(test::victims(with_deferred(2001), "web"), UnorderedElementsAre("b"));
  EXPECT_THAT(test::victims(with_deferred(2500), "web"), UnorderedElementsAre("b"));
  EXPECT_THAT(test::victims(with_deferred(2501), "web"), UnorderedElementsAre("a", "b"));
  EXPECT_THAT(test::victims(with_deferred(4000), "web"), UnorderedElementsAre("a", "b"));
  NodeWorld world = with_deferred(2501);
  world.pods[1].priority = 2000;
  EXPECT_EQ(test::plan(world, "web").outcome, Outcome::NoVictims) << "a keeps the claim";
}

TEST(ClaimedResources, ByUpstreamsRulesToo) {
  NodeWorld world = with_deferred(2501);
  world.rules = RuleSet::Upstream;
  EXPECT_THAT(test::victims(world, "web"), UnorderedElementsAre("a", "b"));
  world = with_deferred(2500);
  world.rules = RuleSet::Upstream;
  EXPECT_EQ(test::victims(world, "web").size(), 1);
}

TEST(ClaimedResources, AreNoResizeWhereANodeReportsLimitsWithThem) {
  Pod pod = pod_of_size("a", 0, figures(1000));
  pod.containers[0].desired.limits = figures(2000);
  pod.containers[0].actual_limits = figures(4000);
  EXPECT_TRUE(resize_is_pending(pod));
  pod.claimed = {{"c", figures(2000)}};
  EXPECT_FALSE(resize_is_pending(pod));
  pod.containers[0].actual_limits = figures(4001);
  EXPECT_TRUE(resize_is_pending(pod));
  pod.containers[0].actual_limits = figures(1999);
  EXPECT_TRUE(resize_is_pending(pod));
}

TEST(ClaimedResources, APodMayBeResizedBesideOneThatSharesItsClaim) {
  NodeWorld world = with_deferred(2500);
  world.pods[0].claimed = {{"c", figures(1000)}};
  world.pods[0].has_resource_claims = true;
  EXPECT_EQ(held_by_others(world.pods, "web"), figures(1000)) << "the claim is its own";
  EXPECT_THAT(test::victims(world, "web"), UnorderedElementsAre("b"));
  EXPECT_EQ(
      decide_resize(world.node, world.pods[0], held_by_others(world.pods, "web"), {}).shortages,
      (std::vector<Shortage>{{"cpu", 3500, 1000, 4000, 500}}));
}

TEST(ClaimedResources, ANodeThatMakesRoomItselfCountsWhatItFrees) {
  NodeWorld world = with_deferred(2400);
  world.critical_by_node = true;
  world.pods[0].priority = 2'000'000'000;
  EXPECT_EQ(test::victims(world, "web").size(), 1);
}

}  // namespace
}  // namespace elbowroom::policy
