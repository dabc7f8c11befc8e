// The placement of gangs: members together or not at all, and the victims that costs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "test/gang_world.h"
#include "test/node_world.h"

namespace elbowroom::policy {
namespace {

using test::GangWorld;
using test::kNoon;
using test::nodes_of;
using test::victims_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

TEST(Gang, IsPlacedTogether) {
  GangWorld world;
  world.node("node1", 1000);
  world.node("node2", 1000);
  world.members("m", 2, 600);
  const auto got = world.ask();
  EXPECT_EQ(got.result, SchedulingResult::Bind);
  EXPECT_THAT(nodes_of(got), UnorderedElementsAre("node1", "node2"));
}

TEST(Gang, BelowMinCountNothingIsPlacedAndNoPodGoes) {
  GangWorld world;
  world.node("node1", 1000);
  world.runs("low", "node1", 0, 900);
  world.members("m", 2, 600);
  const auto got = world.ask();
  EXPECT_EQ(got.result, SchedulingResult::Unschedulable);
  EXPECT_THAT(got.placements, IsEmpty());
  EXPECT_THAT(got.victims, IsEmpty());
  EXPECT_THAT(got.message, HasSubstr("minCount (2) cannot be satisfied: 0 scheduled, 2 remaining"));
}

// "a0" lacks cpu that "low" could leave; "b0" asks for a zone that no node has.
TEST(Gang, TheMemberThatNoPreemptionCanHelpIsNamedFirst) {
  for (const bool comes_first : {false, true}) {
    GangWorld world;
    world.node("node1", 1000);
    world.runs("low", "node1", 0, 1000);
    world.members("a", 1, 1000);
    world.members("b", 1, comes_first ? 1001 : 900);
    world.pods.back().placement.node_selector = {{"zone", "nowhere"}};
    for (const PreemptionPolicy policy :
         {PreemptionPolicy::PreemptLowerPriority, PreemptionPolicy::Never}) {
      world.train.standing.preemption_policy = policy;
      const auto got = world.ask();
      EXPECT_THAT(got.message,
                  HasSubstr("minCount (2) cannot be satisfied: 0 scheduled, 2 remaining; "
                            "default/b0: 0/1 nodes are available: 1 node(s) didn't match Pod's "
                            "node affinity/selector."));
      EXPECT_THAT(got.message, Not(HasSubstr("would not be enough")));
    }
  }
}

TEST(Gang, AMemberThatLacksRoomEvenOnceAllAreGoneIsNamed) {
  GangWorld world;
  world.node("node1", 2000);
  world.runs("high", "node1", 1000, 1000);
  world.runs("low", "node1", 0, 1000);
  world.members("a", 1, 1000);
  world.members("b", 1, 1500);
  const auto got = world.ask();
  EXPECT_THAT(got.message, HasSubstr("default/b0: 0/1 nodes are available: 1 Insufficient cpu."));
  EXPECT_THAT(got.message, HasSubstr("removing all pods that may be removed (1) would not be "
                                     "enough"));
}

TEST(Gang, AMemberThatIsNotNeededIsNotWhatStopsIt) {
  GangWorld world;
  world.node("node1", 1000);
  world.runs("high", "node1", 1000, 1000);
  world.members("a", 2, 500);
  world.members("b", 1, 900);
  world.pods.back().placement.node_selector = {{"zone", "nowhere"}};
  EXPECT_THAT(world.ask().message, HasSubstr("default/a0: 0/1 nodes are available"));
}

TEST(Gang, ABindSaysNothing) {
  GangWorld world;
  world.node("node1", 1000);
  world.train.standing.min_count = 1;
  world.members("a", 1, 1000);
  world.members("b", 1, 1000);
  const auto got = world.ask();
  EXPECT_EQ(got.result, SchedulingResult::Bind);
  EXPECT_EQ(got.message, "");
}

TEST(Gang, WaitsUntilMinCountExistBoundOnesCounted) {
  GangWorld world;
  world.node("node1", 4000);
  world.train.standing.min_count = 3;
  Pod& bound = world.runs("b", "node1", 0, 100);
  bound.scheduling_group = "train";
  world.members("m", 1, 600);
  const auto got = world.ask();
  EXPECT_EQ(got.result, SchedulingResult::Unschedulable);
  EXPECT_EQ(got.message, "minCount (3) cannot be satisfied: 1 scheduled, 1 remaining");
  world.train.standing.min_count = 2;
  EXPECT_EQ(world.ask().result, SchedulingResult::Bind);
}

TEST(Gang, AMemberWithSchedulingGatesThatIsNeededIsNamed) {
  GangWorld world;
  world.node("node1", 4000);
  world.members("a", 1, 600);
  world.members("z", 2, 600);
  for (std::size_t i : {1U, 2U}) world.pods[i].placement.gates = {"later"};
  const auto got = world.ask();
  EXPECT_EQ(got.result, SchedulingResult::Unschedulable);
  EXPECT_EQ(got.message,
            "minCount (2) cannot be satisfied: 0 scheduled, 1 remaining; default/z0: Scheduling "
            "is blocked due to non-empty scheduling gates");
  world.train.standing.min_count = 1;
  EXPECT_EQ(world.ask().result, SchedulingResult::Bind) << "it is not needed";
}

TEST(Gang, AMemberAboveMinCountSaysWhatItLacksAlone) {
  GangWorld world;
  world.node("node1", 600);
  world.train.standing.min_count = 1;
  world.runs("b", "node1", 0, 100).scheduling_group = "train";
  world.members("m", 1, 600);
  const auto got = world.ask();
  EXPECT_EQ(got.result, SchedulingResult::Unschedulable);
  EXPECT_EQ(got.message, "default/m0: 0/1 nodes are available: 1 Insufficient cpu.");
}

TEST(Gang, MembersAboveMinCountCostNoVictims) {
  GangWorld world;
  for (const char* node : {"node1", "node2", "node3"}) world.node(node, 1000);
  world.runs("low1", "node1", 0, 900);
  world.runs("low2", "node2", 0, 900);
  world.runs("low3", "node3", 0, 900);
  world.members("m", 3, 600);
  const auto got = world.ask();
  EXPECT_EQ(got.result, SchedulingResult::Preempt);
  EXPECT_THAT(victims_of(got), ElementsAre("low1", "low2"));
  EXPECT_EQ(got.placements.size(), 2);
  world.node("node4", 1000);
  EXPECT_EQ(world.ask().victims.size(), 1) << "one fits by itself";
  world.node("node5", 1000);
  EXPECT_EQ(world.ask().result, SchedulingResult::Bind);
  EXPECT_EQ(world.ask().placements.size(), 2);
}

TEST(Gang, TheLowestCeilingIsEnough) {
  GangWorld world;
  for (const char* node : {"node1", "node2", "node3"}) world.node(node, 1000);
  world.runs("ten", "node1", 10, 900);
  world.runs("five", "node2", 5, 900);
  world.runs("one", "node3", 1, 900);
  world.members("m", 2, 600);
  EXPECT_THAT(victims_of(world.ask()), UnorderedElementsAre("five", "one"));
}

TEST(Gang, AnAllGroupGoesWhole) {
  GangWorld world;
  for (const char* node : {"node1", "node2", "node3"}) world.node(node, 1000);
  world.group(world.runs("a", "node1", 50, 900), "batch", 10, DisruptionMode::All);
  world.group(world.runs("b", "node3", 50, 900), "batch", 10, DisruptionMode::All);
  world.runs("five", "node2", 20, 900);
  world.members("m", 1, 600);
  world.train.standing.min_count = 1;
  const auto got = world.ask();
  EXPECT_THAT(victims_of(got), UnorderedElementsAre("a", "b"));
  EXPECT_EQ(got.victims[0].unit, "default/batch");
  EXPECT_EQ(got.victims[0].priority, 10);
}

TEST(Gang, WaitsForThePodsOnTheirWayOut) {
  GangWorld world;
  world.node("node1", 1000);
  world.node("node2", 1000);
  world.runs("low1", "node1", 0, 900).deletion = kNoon + std::chrono::seconds(20);
  world.runs("low2", "node2", 0, 900).deletion = kNoon + std::chrono::seconds(20);
  world.members("m", 2, 600);
  const auto got = world.ask();
  EXPECT_EQ(got.result, SchedulingResult::AwaitingVictims);
  EXPECT_THAT(got.victims, IsEmpty());
  EXPECT_EQ(got.placements.size(), 2);
}

TEST(Gang, EachMemberAvoidsNodesOfItsOwn) {
  GangWorld world;
  for (const char* name : {"node1", "node2", "node3"}) world.node(name, 1000);
  world.members("m", 3, 600);
  for (Pod& pod : world.pods) pod.group = world.train.standing;
  const ClusterMoment moment{
      .nodes = world.nodes, .pods = world.pods, .budgets = world.budgets, .now = kNoon};
  ClusterRoom room = room_of(moment);
  const ScheduleTerms terms{
      .avoided_by_pod = {{world.pods[0].uid, {{"node1", "why"}, {"node2", "why"}}},
                         {world.pods[1].uid, {{"node1", "why"}, {"node3", "why"}}}}};
  const auto got = schedule_gang(room, gang_of(moment, world.train), terms);
  EXPECT_EQ(got.result, SchedulingResult::Bind);
  EXPECT_THAT(nodes_of(got), ElementsAre("node3", "node2", "node1"));
}

TEST(Gang, WhoFitsBesideItsMembersKeepsItsNomination) {
  GangWorld world;
  world.train.standing.min_count = 1;
  world.node("node1", 1000);
  world.runs("low", "node1", 0, 900);
  world.waits("small", 10, 300, "node1");
  world.waits("large", 9, 200, "node1");
  world.waits("tiny", 8, 100, "node1");
  world.members("m", 1, 600);
  EXPECT_THAT(world.ask().outranked, ElementsAre("default/large"));
  world.rules = RuleSet::Upstream;
  EXPECT_THAT(world.ask().outranked, ElementsAre("default/large", "default/small", "default/tiny"));
}

// Two members nominated to one node each, where pods leave for them.
struct NominatedWorld : GangWorld {
  NominatedWorld() {
    for (const char* name : {"node1", "node2"}) node(name, 2000).labels["zone"] = "a";
    for (const char* on : {"node1", "node2"}) {
      runs(std::string("low-") + on, on, 0, 900).deletion = kNoon + std::chrono::seconds(20);
      runs(std::string("stays-") + on, on, 500, 800);
    }
    members("m", 2, 900);
    pods[pods.size() - 2].nominated_node = "node1";
    pods.back().nominated_node = "node2";
    for (Pod& pod : pods) {
      if (pod.scheduling_group == "train") pod.placement.node_selector = {{"zone", "a"}};
    }
  }
  std::vector<std::string> infeasible(const ScheduleTerms& terms = {}) {
    for (Pod& pod : pods) {
      if (pod.scheduling_group == "train") pod.group = train.standing;
    }
    const ClusterMoment moment{.nodes = nodes, .pods = pods, .budgets = budgets, .now = kNoon};
    ClusterRoom room = room_of(moment);
    return infeasible_nominations(room, gang_of(moment, train), terms);
  }
};

TEST(GangNominations, StandWhileTheirVictimsGo) {
  NominatedWorld world;
  EXPECT_THAT(world.infeasible(), IsEmpty());
}

TEST(GangNominations, AVictimThatLeavesLateLeavesStill) {
  NominatedWorld world;
  EXPECT_THAT(world.infeasible({.lapsed = {.overdue = {"low-node2"}}}), IsEmpty());
}

TEST(GangNominations, ANodeThatIsGoneCordonedOrTaintedTakesNoMember) {
  NominatedWorld world;
  world.nodes[0].unschedulable = true;
  EXPECT_THAT(world.infeasible(), ElementsAre("default/m0"));
  world.nodes[1].taints = {{.key = "k", .effect = TaintEffect::NoSchedule}};
  EXPECT_THAT(world.infeasible(), ElementsAre("default/m0", "default/m1"));
  world.nodes[1].taints.clear();
  EXPECT_THAT(world.infeasible(), ElementsAre("default/m0"));
  world.nodes.pop_back();
  EXPECT_THAT(world.infeasible(), ElementsAre("default/m0", "default/m1"));
}

TEST(GangNominations, ANodeWithOtherLabelsTakesNoMember) {
  NominatedWorld world;
  world.nodes[1].labels["zone"] = "b";
  EXPECT_THAT(world.infeasible(), ElementsAre("default/m1"));
}

TEST(GangNominations, ANodeThatShrankTakesNoMemberBesideThePodsThatStay) {
  NominatedWorld world;
  world.nodes[0].allocatable.cpu.value = 1700;
  world.nodes[1].allocatable.cpu.value = 1699;
  EXPECT_THAT(world.infeasible(), ElementsAre("default/m1"));
}

TEST(GangNominations, ANodeThatShrankKeepsTheMembersThatFitTogether) {
  NominatedWorld world;
  world.pods[world.pods.size() - 2].nominated_node = "node2";
  EXPECT_THAT(world.infeasible(), ElementsAre("default/m1")) << "900 + 900 + 800 of 2,000";
}

// The first of two members that want to be near each other would be alone otherwise.
TEST(GangNominations, WhereOtherPodsAreIsNotLookedAt) {
  NominatedWorld world;
  for (Pod& pod : world.pods) {
    if (pod.scheduling_group != "train") continue;
    pod.labels["app"] = pod.name;
    pod.placement.required_affinity = {
        {.selector = LabelSelector{.match_labels = {{"app", pod.name == "m0" ? "m1" : "m0"}}},
         .namespaces = {"default"},
         .topology_key = "zone"}};
  }
  EXPECT_THAT(world.infeasible(), IsEmpty());
}

TEST(Gang, PolicyOfTheGroupDecides) {
  GangWorld world;
  world.node("node1", 1000);
  world.runs("low", "node1", 0, 900);
  world.members("m", 1, 600);
  world.train.standing.min_count = 1;
  world.train.standing.preemption_policy = PreemptionPolicy::Never;
  EXPECT_EQ(world.ask().result, SchedulingResult::Unschedulable);
}

TEST(Gang, RequiredAntiAffinityHoldsAmongItsMembers) {
  GangWorld world;
  world.node("node1", 2000).labels["kubernetes.io/hostname"] = "node1";
  world.members("m", 2, 600);
  for (Pod& pod : world.pods) {
    pod.labels["app"] = "train";
    pod.placement.required_anti_affinity = {
        {.selector = LabelSelector{.match_labels = {{"app", "train"}}},
         .namespaces = {"default"},
         .topology_key = "kubernetes.io/hostname"}};
  }
  EXPECT_EQ(world.ask().result, SchedulingResult::Unschedulable);
  world.node("node2", 2000).labels["kubernetes.io/hostname"] = "node2";
  EXPECT_EQ(world.ask().result, SchedulingResult::Bind);
}

// A large member takes the only node of a small one wherever large ones come first.
TEST(Gang, AMemberWithFewNodesToChooseFromIsSeatedFirst) {
  GangWorld world;
  world.train.standing.min_count = 3;
  for (int i = 0; i < 200; ++i) {
    const std::string name = "n" + std::to_string(1000 + i).substr(1);
    Node& node = world.node(name, i == 0 || i == 199 ? 3000 : 2000);
    node.labels["disk"] = i == 0 ? "fast" : "slow";
  }
  world.members("a", 1, 3000);
  world.members("b", 1, 1500);
  world.members("c", 1, 500);
  world.pods.back().placement.node_selector = {{"disk", "fast"}};
  const GroupSchedulingDecision decision = world.ask();
  EXPECT_EQ(decision.result, SchedulingResult::Bind) << decision.message;
  EXPECT_THAT(victims_of(decision), IsEmpty());
}

// Two kinds of members, and no room for all of them.
TEST(Gang, SaysThatNotEveryPlacementWasTried) {
  GangWorld world;
  world.train.standing.min_count = 70;
  for (int i = 0; i < 34; ++i) world.node("n" + std::to_string(100 + i), 2000);
  world.members("large", 2, 1100);
  world.members("small", 68, 1000);
  EXPECT_THAT(
      world.ask().message,
      HasSubstr(" Not every placement was tried: the group has more than 64 pods to place."));
  world.pods.clear();
  world.members("huge", 1, 3000);
  world.members("small", 69, 100);
  EXPECT_THAT(world.ask().message, Not(HasSubstr("Not every placement was tried")))
      << "one fits nowhere";
}

// Every pod of an indexed Job has a label of its own, which no selector reads here.
TEST(Gang, LabelsThatNoSelectorReadsMakeNoDifference) {
  GangWorld world;
  world.train.standing.min_count = 100;
  for (int i = 0; i < 50; ++i) world.node("n" + std::to_string(100 + i), 2000);
  world.members("m", 100, 1000);
  const GroupSchedulingDecision alike = world.ask();
  int index = 0;
  for (Pod& pod : world.pods) pod.labels["index"] = std::to_string(index++);
  const GroupSchedulingDecision decision = world.ask();
  EXPECT_EQ(decision.result, SchedulingResult::Bind);
  EXPECT_EQ(nodes_of(decision), nodes_of(alike));
}

// A JobSet's pods have owners of their own, and an anti-affinity of another namespace reads none.
TEST(Gang, OwnersAndTermsOfOtherNamespacesMakeNoDifference) {
  GangWorld world;
  world.train.standing.min_count = 200;
  for (int i = 0; i < 600; ++i) {
    const std::string node = "n" + std::to_string(1000 + i);
    world.node(node, 1000);
    const int pods = i < 400 ? 3 : 1;  // the first nodes are dear
    for (int pod = 0; pod < pods; ++pod) {
      world.runs("low-" + std::to_string(i) + "-" + std::to_string(pod), node, 0, 900 / pods);
    }
  }
  Pod& dns = world.runs("dns", "n1000", 1000, 0);
  dns.ns = "kube-system";
  dns.placement.required_anti_affinity = {
      {.selector = LabelSelector{.match_labels = {{"app", "dns"}}},
       .namespaces = {"kube-system"},
       .topology_key = "kubernetes.io/hostname"}};
  world.members("m", 200, 1000);
  int index = 0;
  for (Pod& pod : world.pods) {
    if (!pod.node.empty()) continue;
    pod.labels["index"] = std::to_string(index);
    pod.controller = Owner{.kind = "Job", .name = "j", .uid = std::to_string(index++)};
  }
  EXPECT_EQ(world.ask().victims.size(), 200);
}

// ---- upstream's rules, as kube-scheduler 1.37 answered ----

TEST(GangUpstream, PlacesItsMembersAsTheyCameThenByName) {
  GangWorld world;
  world.node("node1", 2000);
  world.members("m", 1, 600);
  world.members("n", 1, 1500);
  world.train.standing.min_count = 1;
  const auto placed = [&world] { return world.ask().placements.at(0).pod; };
  EXPECT_EQ(placed(), "default/n0") << "the larger one";
  world.rules = RuleSet::Upstream;
  EXPECT_EQ(placed(), "default/m0");
  world.pods[0].created = kNoon;
  world.pods[1].created = kNoon - std::chrono::seconds(1);
  EXPECT_EQ(placed(), "default/n0");
}

// The first one takes the node with the most room, and the second one finds none.
TEST(GangUpstream, TriesNoSecondWayToPlaceThem) {
  GangWorld world;
  world.node("node1", 1000);
  world.node("node2", 600);
  world.members("m", 1, 500);
  world.members("n", 1, 900);
  EXPECT_EQ(world.ask().result, SchedulingResult::Bind);
  world.rules = RuleSet::Upstream;
  EXPECT_EQ(world.ask().result, SchedulingResult::Unschedulable);
}

TEST(GangUpstream, APodOfAGroupIsAsImportantAsAGroup) {
  GangWorld world;
  world.node("node1", 2000);
  world.runs("alone", "node1", 10, 900).started = kNoon - std::chrono::hours(2);
  Pod& grouped = world.runs("grouped", "node1", 10, 900);
  grouped.started = kNoon - std::chrono::hours(1);
  world.group(grouped, "batch", 10, DisruptionMode::Single);
  world.members("m", 1, 600);
  world.train.standing.min_count = 1;
  EXPECT_THAT(victims_of(world.ask()), ElementsAre("grouped"));
  world.rules = RuleSet::Upstream;
  EXPECT_THAT(victims_of(world.ask()), ElementsAre("alone"));
  Pod& lost = world.pods[1];
  lost.scheduling_group = "missing";
  lost.group.reset();
  EXPECT_THAT(victims_of(world.ask()), ElementsAre("alone")) << "whether the group exists or not";
}

}  // namespace
}  // namespace elbowroom::policy
