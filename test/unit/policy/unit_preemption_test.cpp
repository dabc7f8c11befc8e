// Preemption on nodes where some pods form a unit: for a resize, and for a pending pod.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "policy/model/importance.h"
#include "policy/placement/placement_messages.h"
#include "policy/placement/pod_preemption.h"
#include "policy/preemption/resize_preemption.h"
#include "test/cluster_world.h"
#include "test/node_world.h"

namespace elbowroom::policy {
namespace {

using test::ClusterWorld;
using test::deferred_to;
using test::figures;
using test::kNoon;
using test::NodeWorld;
using test::plan;
using test::pod_of_size;
using test::victims_of;
using test::why_considered;
using test::world_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using Outcome = PreemptionOutcome;

// ---- a resize ----

// web (priority 1000) holds 1 cpu of 5 and wants 2. a, b, c and d hold 1 cpu each; a and b, with
// far on another node, are one unit of priority 0.
struct ResizeWorld {
  NodeWorld node = world_of(5000);
  ResizeWorld() {
    Pod far = pod_of_size("far", 0, figures(1000), 1);
    node.pods = {deferred_to(pod_of_size("web", 1000, figures(1000)), figures(2000)),
                 pod_of_size("a", 5, figures(1000), 1), pod_of_size("b", 5, figures(1000), 2),
                 pod_of_size("c", 1, figures(1000), 3), pod_of_size("d", 1, figures(1000), 4)};
    far.node = "node2";
    node.elsewhere = {far};
    for (Pod* each : {&node.pods[1], &node.pods[2], &node.elsewhere[0]}) {
      each->scheduling_group = "g";
      each->group = {.uid = "g", .priority = 0, .mode = DisruptionMode::All};
    }
  }
  ResizeWorld(const ResizeWorld&) = delete;

  ResizePreemption ask() const { return plan(node, "web"); }
  Pod& pod(std::size_t at) { return node.pods[at]; }
  Pod& far() { return node.elsewhere[0]; }
  void set_priority(std::int32_t priority) {
    for (Pod* each : {&pod(1), &pod(2), &far()}) each->group->priority = priority;
  }
};

TEST(UnitResize, TheWholeUnitGoesWhereverItsPodsRun) {
  const ResizeWorld world;
  const ResizePreemption got = world.ask();
  EXPECT_EQ(got.outcome, Outcome::Preempt);
  EXPECT_THAT(victims_of(got), UnorderedElementsAre("a", "b", "far"));
  for (const ChosenVictim& each : got.victims) {
    EXPECT_EQ(each.priority, 0) << "the group's";
    EXPECT_THAT(each.why, HasSubstr("removed as one: default/a, default/b and default/far"));
  }
  EXPECT_THAT(got.message.full(), HasSubstr("removing 3 pods"));
}

TEST(UnitResize, TheWholeUnitStaysWhereItFitsBeside) {
  ResizeWorld world;
  world.set_priority(2);
  const ResizePreemption got = world.ask();
  EXPECT_THAT(victims_of(got), UnorderedElementsAre("d"));
  EXPECT_EQ(why_considered(got, "a"), "stays: the resize fits beside it");
  EXPECT_EQ(why_considered(got, "b"), "stays: the resize fits beside it");
}

TEST(UnitResize, AUnitIsRemovedEvenIfOneOfItsPodsWouldBeEnough) {
  ResizeWorld world;
  world.pod(3).priority = world.pod(4).priority = 1000;
  EXPECT_THAT(victims_of(world.ask()), UnorderedElementsAre("a", "b", "far"));
}

TEST(UnitResize, TheGroupComesBeforeAPodOfItsPriority) {
  ResizeWorld world;
  world.pod(3).priority = world.pod(4).priority = 0;
  world.pod(3).qos_in_status = Qos::Guaranteed;
  for (const RuleSet rules : {RuleSet::Elbowroom, RuleSet::Upstream}) {
    world.node.rules = rules;
    world.node.node.allowed_pods = 6;
    EXPECT_THAT(victims_of(world.ask()), UnorderedElementsAre("d"));
  }
}

TEST(UnitResize, AGroupOfHigherPriorityIsNoVictimWhateverItsPodsSay) {
  ResizeWorld world;
  world.set_priority(1000);
  const ResizePreemption got = world.ask();
  EXPECT_THAT(victims_of(got), UnorderedElementsAre("d"));
  EXPECT_EQ(why_considered(got, "a"), "priority 1000 is not below 1000");
}

TEST(UnitResize, ABudgetOfAPodOnAnotherNodeCounts) {
  ResizeWorld world;
  world.far().labels["app"] = "far";
  world.node.budgets.upstream = {{.ns = "default",
                                  .name = "far",
                                  .selector = LabelSelector{.match_labels = {{"app", "far"}}},
                                  .disruptions_allowed = 0}};
  // The unit is reprieved first, although it is the least important.
  EXPECT_THAT(victims_of(world.ask()), UnorderedElementsAre("d"));
  world.pod(3).priority = world.pod(4).priority = 1000;
  const ResizePreemption only = world.ask();
  EXPECT_THAT(victims_of(only), UnorderedElementsAre("a", "b", "far"));
  EXPECT_EQ(only.budget_violations, 1);
}

TEST(UnitResize, APodThatCannotBeRemovedKeepsItsUnit) {
  ResizeWorld world;
  world.far().is_static = true;
  ResizePreemption got = world.ask();
  EXPECT_THAT(victims_of(got), UnorderedElementsAre("d"));
  EXPECT_EQ(why_considered(got, "a"),
            "is of one unit with default/far, which: static pods are never removed");
  world.far().is_static = false;
  world.pod(2).is_mirror = true;
  got = world.ask();
  EXPECT_THAT(victims_of(got), UnorderedElementsAre("d"));
}

TEST(UnitResize, TheUnitOfThePreemptorIsNoVictim) {
  ResizeWorld world;
  world.pod(0).scheduling_group = "g";
  world.set_priority(1000);
  world.pod(0).group = world.pod(1).group;
  const ResizePreemption got = world.ask();
  EXPECT_THAT(victims_of(got), UnorderedElementsAre("d"));
  EXPECT_EQ(why_considered(got, "a"), "belongs to one unit with default/web");
}

TEST(UnitResize, NotEnoughCountsPods) {
  ResizeWorld world;
  world.pod(0) = deferred_to(pod_of_size("web", 1000, figures(1000)), figures(6000));
  const ResizePreemption got = world.ask();
  EXPECT_EQ(got.outcome, Outcome::NoVictims);
  EXPECT_THAT(got.victims, IsEmpty());
  EXPECT_THAT(got.message.full(), HasSubstr("all pods that may be removed (5) would not be"));
}

// ---- a pending pod ----

// Two nodes of 2 cpu. On node1: a and b, 500m each, and alone, 1 cpu. On node2: far and full.
struct PendingWorld {
  ClusterWorld cluster{};
  Pod pod = ClusterWorld::pending("new", 100, 1000);
  ScheduleTerms terms{};
  std::vector<const RoomHolding*> members{};
  GroupUnit<RoomHolding> group{.uid = "g", .priority = 0};
  std::optional<ClusterRoom> room{};

  PendingWorld() {
    cluster.node("node1", 2000);
    cluster.node("node2", 2000);
    cluster.runs("alone", "node1", 0, 1000, 3);
    cluster.runs("a", "node1", 0, 500, 1);
    cluster.runs("b", "node1", 0, 500, 2);
    cluster.runs("far", "node2", 0, 500, 1);
    cluster.runs("full", "node2", 0, 1500, 2);
  }
  PendingWorld(const PendingWorld&) = delete;

  Pod& runs(const std::string& name) { return *std::ranges::find(cluster.pods, name, &Pod::name); }
  const RoomHolding* holding(const std::string& name) const {
    for (const NodeRoom& node : room->nodes()) {
      for (const RoomHolding& each : node.holders) {
        if (each.uid == name) return &each;
      }
    }
    return nullptr;
  }

  // On node1, where a, b and far are one unit.
  NodePreemption ask(RuleSet rules = RuleSet::Elbowroom) {
    room.emplace(room_of({.nodes = cluster.nodes,
                          .pods = cluster.pods,
                          .budgets = cluster.budgets,
                          .rules = rules,
                          .now = kNoon}));
    members = {holding("a"), holding("b"), holding("far")};
    group.here = std::span(members).first(2);
    group.after = std::span(members).last(1);
    std::vector<HoldingUnit> units = {HoldingUnit(group), holding("alone")};
    std::ranges::sort(units, {},
                      [&](const HoldingUnit& each) { return importance_of(rank_of(each), rules); });
    const NodeFilter filter(*room, pod, terms);
    return PodPreemption(filter, terms).on(*room->find_node("node1"), units);
  }
  std::vector<VictimReport> reports(const NodePreemption& of) {
    const NodeFilter filter(*room, pod, terms);
    return described_victims(filter, of);
  }
  std::vector<std::string> victims() {
    std::vector<std::string> names;
    for (const VictimReport& each : reports(ask())) names.push_back(each.uid);
    return names;
  }
};

TEST(UnitPending, TheUnitIsMoreImportantThanAPodOfItsPriority) {
  PendingWorld world;
  EXPECT_THAT(world.victims(), ElementsAre("alone"));
  EXPECT_EQ(world.ask().victims, 1);
}

TEST(UnitPending, NoPodOfAUnitIsPutBackAlone) {
  PendingWorld world;
  world.runs("alone").priority = 1;
  world.pod = ClusterWorld::pending("new", 100, 500);
  EXPECT_THAT(world.victims(), ElementsAre("a", "b", "far"));
  const NodePreemption got = world.ask();
  EXPECT_EQ(got.victims, 3);
  const Harm harm = harm_of(*world.room, got);
  EXPECT_EQ(harm.victims, 3);
  EXPECT_EQ(harm.highest_priority, 0);
  EXPECT_EQ(harm.priorities, 3 * (std::int64_t{1} << 31));
  EXPECT_EQ(harm.negated_start, -world.runs("a").started->time_since_epoch().count());
  EXPECT_THAT(world.reports(got)[1].why,
              HasSubstr("; removed as one: default/a, default/b and default/far"));
}

// As kube-scheduler 1.37 does: it chooses units by their groups' priority, and nodes by the pods'.
TEST(UnitPending, UpstreamComparesNodesByThePodsOwnPriorities) {
  PendingWorld world;
  world.runs("alone").priority = 1;
  world.runs("b").priority = 7;
  const NodePreemption got = world.ask(RuleSet::Upstream);
  const Harm harm = harm_of(*world.room, got);
  EXPECT_EQ(harm.highest_priority, 0) << "the first one's";
  EXPECT_EQ(harm.priorities, 3 * (std::int64_t{1} << 31) + 7);
  EXPECT_EQ(harm.negated_start, -world.runs("b").started->time_since_epoch().count());
  EXPECT_EQ(harm_of(*world.room, world.ask()).priorities, 3 * (std::int64_t{1} << 31));
}

TEST(UnitPending, EveryUnitGoesWhereAllIsNeeded) {
  PendingWorld world;
  world.pod = ClusterWorld::pending("new", 100, 2000);
  world.group.priority = 7;
  EXPECT_THAT(world.victims(), ElementsAre("a", "b", "far", "alone"));
  const NodePreemption got = world.ask();
  EXPECT_EQ(world.reports(got)[0].priority, 7) << "the group's";
  EXPECT_EQ(harm_of(*world.room, got).priorities, 3 * 7 + 4 * (std::int64_t{1} << 31));
}

TEST(UnitPending, ABudgetOfAPodOnAnotherNodeCounts) {
  PendingWorld world;
  world.runs("alone").priority = 1;
  world.runs("far").labels["app"] = "far";
  world.cluster.budgets.upstream = {{.ns = "default",
                                     .name = "far",
                                     .selector = LabelSelector{.match_labels = {{"app", "far"}}},
                                     .disruptions_allowed = 0}};
  EXPECT_THAT(world.victims(), ElementsAre("alone"));
  world.runs("alone").priority = 100;
  EXPECT_THAT(world.victims(), ElementsAre("a", "b", "far"));
  EXPECT_EQ(world.ask().violations.any, 1);
  EXPECT_EQ(harm_of(*world.room, world.ask()).budget_violations, 1);
  world.cluster.budgets.ours = {{.ns = "default",
                                 .name = "hard",
                                 .selector = LabelSelector{.match_labels = {{"app", "far"}}},
                                 .max_unavailable = IntOrPercent{0},
                                 .hard = true}};
  EXPECT_THAT(world.victims(), IsEmpty());
}

TEST(UnitPending, APodThatCannotBeRemovedKeepsItsUnit) {
  PendingWorld world;
  world.runs("alone").priority = 1;
  world.terms.unremovable = {"far"};
  EXPECT_THAT(world.victims(), ElementsAre("alone"));
  world.terms.unremovable.clear();
  world.runs("b").is_static = true;
  EXPECT_THAT(world.victims(), ElementsAre("alone"));
}

TEST(UnitPending, AGroupThatIsNotBelowThePodIsNoVictim) {
  PendingWorld world;
  world.group.priority = 100;
  world.runs("alone").priority = 1;
  EXPECT_THAT(world.victims(), ElementsAre("alone"));
}

}  // namespace
}  // namespace elbowroom::policy
