// The reactor in mode full: pending pods.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "base/document.h"
#include "policy/model/removal_mark.h"
#include "scheduler/explain.h"
#include "scheduler/reactor.h"
#include "test/led_reactor.h"
#include "test/scheduler_world.h"

namespace elbowroom::scheduler {
namespace {

using policy::Pod;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::LedReactor;
using test::node;
using test::running_pod;
using test::SchedulerWorld;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

ReactorOptions full() {
  ReactorOptions options = SchedulerWorld::usual();
  options.places_for = {"elbowroom"};
  return options;
}

ReactorOptions full_by_upstreams_rules() {
  ReactorOptions options = full();
  options.rules = policy::RuleSet::Upstream;
  return options;
}

// With ten minutes to go.
Pod leaving_for_long(const SchedulerWorld& world, Pod pod) {
  pod.deletion = world.wall() + seconds(600);
  pod.deletion_grace_seconds = 600;
  return pod;
}

Pod pending(const std::string& name, std::int64_t cpu_m, std::int32_t priority = 0,
            const std::string& scheduler = "elbowroom") {
  Pod pod = running_pod(name, cpu_m, 0, priority);
  pod.node.clear();
  pod.phase = policy::Phase::Pending;
  pod.scheduler_name = scheduler;
  for (policy::Container& each : pod.containers) {
    each.allocated_requests.reset();
    each.actual_requests.reset();
    each.actual_limits.reset();
    each.state = policy::RunState::None;
  }
  return pod;
}

Pod on(Pod pod, const std::string& node) {
  pod.node = node;
  return pod;
}

Error refused(Code code) { return {code, "no", {}}; }

// Every effect that begins so fails, or the first ones.
std::function<std::optional<Error>(const std::string&)> fails(
    const std::string& begin, Code code, int most = std::numeric_limits<int>::max()) {
  return [=, times = 0](const std::string& what) mutable -> std::optional<Error> {
    if (!what.starts_with(begin) || ++times > most) return std::nullopt;
    return refused(code);
  };
}

// Those that begin so, in order.
std::vector<std::string> writes_of(SchedulerWorld& world, const std::string& begin) {
  std::vector<std::string> writes = world.writes();
  std::erase_if(writes, [&](const std::string& each) { return !each.starts_with(begin); });
  return writes;
}

TEST(PlacingReactor, BindsAPendingPodOnce) {
  SchedulerWorld world(full());
  world.put(node(4000));
  world.put(pending("web", 1000));
  world.start();
  EXPECT_THAT(world.done(),
              ElementsAre("bind default/web to node-1",
                          "event default/web: Scheduled: Successfully assigned default/web to "
                          "node-1"));
  world.pass(seconds(60));
  EXPECT_THAT(world.done(), IsEmpty());
  EXPECT_TRUE(world.reactor().waiting().empty());
  EXPECT_FALSE(world.reactor().queue().contains("default/web"));
}

TEST(PlacingReactor, CountsWhomItRemovesByWhatTheyGoFor) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(node(1000, 64 * test::kGi, "node-2"));
  world.put(running_pod("cheap", 1000));
  world.put(on(running_pod("low", 500), "node-2"));
  world.put(on(test::deferred(running_pod("db", 500, 0, 20), 1000), "node-2"));
  world.put(pending("web", 1000, 10));
  world.start();
  EXPECT_EQ(world.reactor().counts().victims, 2);
  const CountsByKind& victims = world.reactor().counts().victims_by;
  EXPECT_EQ(victims.of(PreemptorKind::Pod, VictimKind::Pod), 1);
  EXPECT_EQ(victims.of(PreemptorKind::Resize, VictimKind::Pod), 1);
}

TEST(PlacingReactor, LeavesPodsOfOthersAlone) {
  SchedulerWorld world(full());
  world.put(node(4000));
  world.put(pending("web", 1000, 0, "another"));
  world.start();
  world.pass(seconds(60));
  EXPECT_THAT(world.done(), IsEmpty());
}

TEST(PlacingReactor, PlacesNobodyInModeResize) {
  SchedulerWorld world;
  world.put(node(4000));
  world.put(pending("web", 1000));
  world.start();
  EXPECT_THAT(world.done(), IsEmpty());
}

TEST(PlacingReactor, TheMoreImportantGoesFirst) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(pending("a", 1000, 1));
  world.put(pending("b", 1000, 2));
  world.start();
  EXPECT_THAT(world.writes(), ElementsAre("bind default/b to node-1", "tell default/a"));
}

// What is bound counts before the watch shows it.
TEST(PlacingReactor, AssumesWhatItBinds) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(pending("a", 600));
  world.start();
  (void)world.done();
  world.lags = true;
  world.put(pending("later", 600));
  world.catch_up();
  EXPECT_THAT(world.writes(), ElementsAre("tell default/later"));
  EXPECT_EQ(world.waiting("default/later").result, TurnResult::Unschedulable);
}

TEST(PlacingReactor, TwoThatDoNotFitTogetherAreNotBothBound) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(pending("a", 600));
  world.put(pending("b", 600));
  world.holds_back = true;  // no answer yet, and nothing is shown
  world.start();
  world.answer();
  EXPECT_THAT(world.writes(), ElementsAre("bind default/a to node-1", "tell default/b"));
}

TEST(PlacingReactor, ARefusedBindingIsForgottenAndTriedAgainLater) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(pending("a", 600, 5));
  world.refuse = fails("bind", Code::Denied, 1);
  world.start();
  EXPECT_THAT(world.writes(), ElementsAre("bind default/a to node-1"));
  EXPECT_TRUE(world.reactor().snapshot().pod("default/a")->node.empty());
  // Its room is free for others meanwhile.
  world.put(pending("b", 600, 5));
  EXPECT_THAT(world.writes(), ElementsAre("bind default/b to node-1"));
  world.pass(seconds(10));
  EXPECT_THAT(world.writes(), ElementsAre("tell default/a"));
}

TEST(PlacingReactor, AnUnknownOutcomeKeepsTheRoomAndAsksAgain) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(pending("a", 600, 5));
  world.refuse = fails("bind default/a", Code::Unavailable, 1);
  world.start();
  world.put(pending("b", 600));
  EXPECT_THAT(world.writes(), ElementsAre("bind default/a to node-1", "tell default/b"));
  world.pass(seconds(3));
  EXPECT_THAT(world.writes(), ElementsAre("bind default/a to node-1"));
  EXPECT_EQ(world.pod("default/a").node, "node-1");
}

// Its room was taken meanwhile: by another leader, say.
TEST(PlacingReactor, ABindingOfUnknownOutcomeIsNotAskedForAgainWhereItFitsNoMore) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(pending("a", 600, 5));
  world.refuse = fails("bind", Code::Unavailable);
  world.start();
  world.put(running_pod("taker", 600, 0, 9));
  world.refuse = {};
  EXPECT_THAT(world.writes(), ElementsAre("bind default/a to node-1"));
  world.pass(seconds(3));
  EXPECT_THAT(world.writes(), ElementsAre("tell default/a"));
  EXPECT_EQ(world.waiting("default/a").result, TurnResult::Unschedulable);
  world.remove("default/taker");
  world.pass(seconds(5));
  EXPECT_THAT(world.writes(), ElementsAre("bind default/a to node-1"));
}

// Another scheduler has bound it meanwhile: the room where it was assumed is free.
TEST(PlacingReactor, ABindingOfUnknownOutcomeThatIsShownElsewhereFreesItsRoom) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(node(500, 64 * test::kGi, "node-2"));
  const Pod a = pending("a", 1000, 5);
  world.put(a);
  world.put(pending("b", 1000));
  world.keeps_back = "bind default/a";
  world.start();
  ASSERT_EQ(world.reactor().snapshot().pod("default/a")->node, "node-1");
  world.put(on(a, "node-2"));
  world.pass(seconds(2));
  EXPECT_THAT(writes_of(world, "bind"), ElementsAre("bind default/b to node-1"));
}

// A more important pod was promised room beside it, once another pod is gone.
TEST(PlacingReactor, ABindingOfUnknownOutcomeKeepsItsRoomBesideWhomRoomIsMadeFor) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(running_pod("low", 500, 0, 1));
  world.put(pending("a", 400, 5));
  world.refuse = fails("bind default/a", Code::Unavailable);
  world.start();
  world.keeps_back = "mark";
  world.put(pending("boss", 500, 10));
  world.pass(seconds(3));  // the turn of a comes meanwhile
  EXPECT_EQ(world.reactor().snapshot().pod("default/a")->node, "node-1") << "while it is chosen";
  world.lags = true;
  world.release();
  EXPECT_THAT(world.writes(), Contains("delete default/low"));
  world.pass(seconds(5));
  EXPECT_EQ(world.reactor().snapshot().pod("default/a")->node, "node-1") << "and while it leaves";
  world.refuse = {};
  world.catch_up();
  world.remove("default/low");
  world.pass(seconds(10));
  EXPECT_EQ(world.pod("default/a").node, "node-1");
  EXPECT_EQ(world.pod("default/boss").node, "node-1");
}

// The pod may be on the node, whatever other pods are.
TEST(PlacingReactor, ABindingOfUnknownOutcomeKeepsItsRoomWhileItsNodeIsUnclear) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(node(1000, 64 * test::kGi, "node-2"));
  world.put(pending("a", 600, 5));
  world.refuse = fails("bind default/a", Code::Unavailable);
  world.start();
  ASSERT_THAT(world.writes(), ElementsAre("bind default/a to node-1"));
  world.tell(Unreadable{.kind = "Pod",
                        .key = "default/odd",
                        .why = "spec: is no map",
                        .uid = "uid-odd",
                        .node = "node-1"});
  world.pass(seconds(60));
  EXPECT_THAT(world.writes(), IsEmpty()) << "neither there again nor elsewhere";
  EXPECT_EQ(world.reactor().snapshot().pod("default/a")->node, "node-1");
  world.refuse = {};
  world.tell(PodGone{"default/odd", "uid-odd"});
  EXPECT_THAT(world.writes(), ElementsAre("bind default/a to node-1"));
}

// Its room was nominated to a more important pod, whose victim it is: it may be on the node, so it
// has to be removed, and no pod is bound there before it is gone.
TEST(PlacingReactor, ABindingOfUnknownOutcomeIsNoFreeRoomForWhomItIsToGo) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(pending("a", 600, 5));
  world.refuse = fails("bind default/a", Code::Unavailable);
  world.start();
  EXPECT_THAT(world.writes(), ElementsAre("bind default/a to node-1"));
  world.keeps_back = "mark";
  world.put(pending("b", 600, 10));
  world.pass(seconds(3));  // the turn of a comes meanwhile
  EXPECT_EQ(world.reactor().snapshot().pod("default/a")->node, "node-1");
  world.lags = true;
  world.release();
  EXPECT_THAT(world.writes(),
              ElementsAre("mark default/a", "nominate default/b to node-1", "delete default/a"));
  world.pass(seconds(60));
  EXPECT_THAT(world.writes(), IsEmpty());
  world.catch_up();
  world.remove("default/a");
  EXPECT_THAT(world.writes(), ElementsAre("bind default/b to node-1"));
}

// The same once the answer to its delete was lost: it may stay.
TEST(PlacingReactor, ABindingOfUnknownOutcomeIsNoFreeRoomAfterALostDelete) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(pending("a", 600, 5));
  world.refuse = [](const std::string& what) -> std::optional<Error> {
    if (!what.starts_with("bind default/a") && !what.starts_with("delete")) return std::nullopt;
    return refused(Code::Unavailable);
  };
  world.start();
  world.put(pending("b", 600, 10));
  world.pass(seconds(20));
  EXPECT_EQ(world.reactor().snapshot().pod("default/a")->node, "node-1");
  EXPECT_THAT(world.writes(), Not(Contains("bind default/b to node-1")));
  world.refuse = {};
  world.pass(seconds(11));
  EXPECT_THAT(world.writes(), Contains("delete default/a"));
}

TEST(PlacingReactor, ABindingThatIsAlwaysRefusedIsTriedLessAndLessOften) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(pending("a", 600));
  int times = 0;
  world.refuse = [&](const std::string& what) -> std::optional<Error> {
    if (!what.starts_with("bind")) return std::nullopt;
    ++times;
    return refused(Code::Denied);
  };
  world.start();
  world.pass(seconds(60));
  EXPECT_GE(times, 5);
  EXPECT_LE(times, 11);
  EXPECT_THAT(world.done(), Contains(HasSubstr("it was not bound to node node-1")).Times(1));
}

// The outcome of the binding is not known: it is sent again, under the pod's uid.
TEST(PlacingReactor, OneThatIsNotShownIsBoundOnceMore) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.start();
  world.put(pending("a", 600));
  EXPECT_THAT(world.writes(), ElementsAre("bind default/a to node-1"));
  EXPECT_TRUE(world.reactor().waiting().empty());
  world.lags = true;
  world.tell(PodSeen{cluster::PackedPod::packed(pending("b", 100))});
  world.pass(seconds(31));
  EXPECT_THAT(world.writes(), ElementsAre("bind default/b to node-1", "bind default/b to node-1"));
}

// The pod is bound, or another writer changed it: the watch will show which, and its room is kept.
TEST(PlacingReactor, AConflictKeepsTheRoomUntilTheWatchShowsMore) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(pending("a", 600, 5));
  world.lags = true;
  world.start();
  EXPECT_THAT(world.writes(), ElementsAre("bind default/a to node-1"));
  world.pass(seconds(31));
  EXPECT_THAT(world.writes(), ElementsAre("bind default/a to node-1"));
  world.tell(PodSeen{cluster::PackedPod::packed(pending("b", 600))});
  EXPECT_THAT(world.writes(), ElementsAre("tell default/b"));
  EXPECT_EQ(world.reactor().snapshot().pod("default/a")->node, "node-1");
}

// The binding was sent once more because the watch did not show it: a refusal of the second says
// nothing of the first.
TEST(PlacingReactor, ARefusedSecondTryLeavesWhatIsBound) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(pending("a", 600, 5));
  world.lags = true;
  int times = 0;
  world.refuse = [&](const std::string& what) -> std::optional<Error> {
    if (!what.starts_with("bind default/a") || ++times == 1) return std::nullopt;
    return refused(Code::Denied);
  };
  world.start();
  world.pass(seconds(31));
  EXPECT_THAT(world.writes(), ElementsAre("bind default/a to node-1", "bind default/a to node-1"));
  EXPECT_EQ(world.reactor().snapshot().pod("default/a")->node, "node-1");
  world.tell(PodSeen{cluster::PackedPod::packed(pending("b", 600))});
  EXPECT_THAT(world.writes(), ElementsAre("tell default/b"));
}

// Sent under one leadership, answered under the next one: it is neither sent again meanwhile nor
// after that, and its room is not given to another pod.
TEST(PlacingReactor, ABindingIsNotSentTwiceOverALeaseThatWasLostAndRegained) {
  LedReactor led(full());
  std::vector<std::string> bound;
  EffectId unanswered = 0;
  led.keeps_back = [&](const Effect& effect) {
    const auto* bind = std::get_if<BindPod>(&effect.what);
    if (bind == nullptr) return false;
    bound.push_back(bind->pod.name + " to " + bind->node);
    unanswered = effect.id;
    return true;
  };
  const auto packed = [](const Pod& pod) { return cluster::PackedPod::packed(pod); };
  led.tell(seconds(0), LeaseSeen{});
  led.tell(seconds(1), NodesListed{{node(1000), node(1000, 64 * test::kGi, "node-2")}});
  led.lists_nothing_else(seconds(1));
  led.tell(seconds(1), PodsListed{{packed(pending("web", 600))}});
  EXPECT_THAT(bound, ElementsAre("web to node-1"));
  led.loses_lease(seconds(2));
  EXPECT_FALSE(led.reactor().leads());
  led.is_offered_lease(seconds(4));
  led.tell(seconds(5), TimePassed{});
  EXPECT_TRUE(led.reactor().leads());
  led.tell(seconds(6), TimePassed{});
  EXPECT_THAT(bound, ElementsAre("web to node-1"));
  EXPECT_EQ(led.reactor().snapshot().pod("default/web")->node, "node-1");
  led.tell(seconds(7), Done{.effect = unanswered});
  led.tell(seconds(8), TimePassed{});
  EXPECT_THAT(bound, ElementsAre("web to node-1"));
  Pod placed = pending("web", 600);
  placed.node = "node-1";
  led.tell(seconds(9), PodSeen{packed(placed)});
  EXPECT_TRUE(led.reactor().waiting().empty());
  EXPECT_THAT(bound, ElementsAre("web to node-1"));
}

// Another leader has said something else of it meanwhile.
TEST(PlacingReactor, APodIsToldAgainUnderTheNextLeadership) {
  LedReactor led(full());
  int told = 0;
  led.keeps_back = [&](const Effect& effect) {
    told += std::holds_alternative<WritePending>(effect.what) ? 1 : 0;
    return false;
  };
  led.tell(seconds(0), LeaseSeen{});
  led.tell(seconds(1), NodesListed{{node(100)}});
  led.lists_nothing_else(seconds(1));
  led.tell(seconds(1), PodsListed{{cluster::PackedPod::packed(pending("web", 600))}});
  EXPECT_EQ(told, 1);
  led.loses_lease(seconds(2));
  led.is_offered_lease(seconds(4));
  led.tell(seconds(5), TimePassed{});
  led.tell(seconds(6), TimePassed{});
  EXPECT_EQ(told, 2);
}

TEST(PlacingReactor, RoomThatComesFreeIsUsed) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(running_pod("old", 1000));
  world.put(pending("web", 600));
  world.start();
  EXPECT_THAT(world.writes(), ElementsAre("tell default/web"));
  EXPECT_EQ(
      world.waiting("default/web").message,
      "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 No "
      "preemption victims found for incoming pod.");
  world.pass(seconds(2));
  world.remove("default/old");
  EXPECT_THAT(world.writes(), ElementsAre("bind default/web to node-1"));
}

TEST(PlacingReactor, EqualPodsThatWereRefusedCostOneDecision) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(running_pod("old", 1000));
  for (int i = 0; i < 20; ++i) world.put(pending("web-" + std::to_string(i), 600));
  world.start();
  (void)world.done();
  const auto turns = world.reactor().counts().all_turns();
  world.put(on(pending("small", 0), "node-1"));  // which helps no waiting pod
  world.pass(seconds(20));
  EXPECT_EQ(world.reactor().counts().all_turns(), turns);
}

// For changes that no event reported.
// Room on another node, or for less than it asks for, is no room for it.
TEST(PlacingReactor, AHopelessPodIsNotLookedAtForChangesThatCannotHelp) {
  SchedulerWorld world(full());
  world.put(node(2000));
  world.put(node(4000, 64 * test::kGi, "node-2"));
  world.put(running_pod("first", 1000, 0, 20));
  policy::Pod other = on(running_pod("other", 1000, 0, 20), "node-2");
  world.put(other);
  world.put(pending("web", 3500, 10));
  world.start();
  const auto turns = world.reactor().counts().all_turns();
  world.remove("default/first");
  world.pass(seconds(5));
  for (int round = 0; round < 5; ++round) {
    other.labels["round"] = std::to_string(round);
    world.put(other);
    world.put(
        policy::PodDisruptionBudget{.ns = "default", .name = "shop", .disruptions_allowed = round});
    world.pass(seconds(5));
  }
  EXPECT_EQ(world.reactor().counts().all_turns(), turns);
  // What it says of the nodes is brought up to date a minute after it may have become untrue.
  world.pass(seconds(60));
  EXPECT_EQ(world.reactor().counts().all_turns(), turns + 1);
  world.remove("default/other");
  world.pass(seconds(60));
  EXPECT_THAT(writes_of(world, "bind"), ElementsAre("bind default/web to node-2"));
}

TEST(PlacingReactor, TheFlushLooksAtTheNodesAgain) {
  SchedulerWorld world(full());
  world.put(node(1000));
  Pod old = test::deferred(running_pod("old", 500), 1000);
  world.put(old);
  world.put(pending("web", 500));
  world.put(pending("web-2", 500));
  world.start();
  EXPECT_THAT(world.writes(), ElementsAre("tell default/web", "tell default/web-2"));
  // Its room is what it was given, from now on.
  for (policy::Condition& each : old.conditions) each.reason = policy::kReasonInfeasible;
  world.put(old);
  world.pass(seconds(301));
  EXPECT_THAT(world.writes(), Contains("bind default/web to node-1"));
}

TEST(PlacingReactor, PreemptsAndBindsWhenTheVictimsAreGone) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(running_pod("low", 1000, 0, 1));
  world.put(pending("web", 600, 10));
  world.start();
  EXPECT_THAT(
      world.done(),
      ElementsAre("mark default/low", "confirm default/web",
                  HasSubstr("event default/web: FailedScheduling: 0/1 nodes are available: 1 "
                            "Insufficient cpu."),
                  "nominate default/web to node-1",
                  HasSubstr("event default/web: Preempting: Removing default/low makes room on "
                            "node node-1, expected by "),
                  "delete default/low",
                  "event default/low: Preempted: Preempted by pod uid-web on node node-1"));
  world.pass(seconds(25));
  EXPECT_THAT(world.writes(), IsEmpty());
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::Awaits);
  world.remove("default/low");
  EXPECT_THAT(world.writes(), ElementsAre("bind default/web to node-1"));
}

// The watch may be faster than the answer; and a pod that was rejected often backs off for long.
TEST(PlacingReactor, BindsAtOnceWhereTheVictimsAreGoneBeforeTheirDeletesAreAnswered) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(running_pod("low", 1000, 0, 1));
  world.put(pending("web", 600, 10));
  world.keeps_back = "delete";
  world.start();
  (void)world.done();
  world.remove("default/low");
  EXPECT_THAT(world.writes(), IsEmpty());
  world.release();
  EXPECT_THAT(world.writes(), Contains("bind default/web to node-1"));
}

TEST(PlacingReactor, TheMarkNamesThePod) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(running_pod("low", 1000, 0, 1));
  world.put(pending("web", 600, 10));
  world.start();
  EXPECT_EQ(policy::removal_mark(world.pod("default/low")), (policy::RemovalMark{"uid-web", 1}));
}

TEST(PlacingReactor, ARefusedVictimLeavesNoNomination) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(running_pod("low", 1000, 0, 1));
  world.put(pending("web", 600, 10));
  world.refuse = fails("delete", Code::Denied);
  world.start();
  world.pass(seconds(5));
  EXPECT_TRUE(world.pod("default/web").node.empty());
  EXPECT_FALSE(policy::removal_mark(world.pod("default/low")));
  EXPECT_EQ(world.pod("default/web").nominated_node, "");
}

// No delete was sent, so no room was promised.
TEST(PlacingReactor, ARemovalThatFailedBeforeItBeganLeavesNoNomination) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(on(running_pod("old", 1000, 0, 1), "node-1"));
  world.put(pending("web", 600, 5));
  world.refuse = fails("confirm", Code::Unavailable);
  world.start();
  EXPECT_THAT(world.writes(), ElementsAre("mark default/old", "clear default/old"));
  EXPECT_EQ(world.reactor().snapshot().pod("default/web")->nominated_node, "");
}

// A more important pod was promised room there while its victims were marked, and both fit: what is
// reported of it and what is assumed of it are the same.
TEST(PlacingReactor, AnOutrankedPodThatGoesOnIsNominatedAgain) {
  SchedulerWorld world(full());
  world.put(node(1000));
  Pod gone = on(running_pod("gone", 300, 0, 1), "node-1");
  gone.deletion = world.wall() + seconds(30);
  gone.deletion_grace_seconds = 30;
  world.put(gone);
  world.put(on(running_pod("old", 700, 0, 1), "node-1"));
  world.put(pending("web", 500, 5));
  world.keeps_back = "confirm default/web";
  world.start();
  world.put(pending("vip", 300, 10));
  EXPECT_THAT(world.writes(), Contains("nominate default/web to nowhere"));
  world.release();
  EXPECT_THAT(world.writes(), Contains("delete default/old"));
  EXPECT_EQ(world.pod("default/web").nominated_node, "node-1");
  EXPECT_EQ(world.reactor().snapshot().pod("default/web")->nominated_node, "node-1");
}

// Whichever pod is deleted, it could be the other one.
TEST(PlacingReactor, NobodyIsRemovedWhereTwoPodsHaveOneUid) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(on(running_pod("old", 500, 0, 1), "node-1"));
  Pod twin = on(running_pod("twin", 500, 0, 1), "node-1");
  twin.uid = world.pod("default/old").uid;
  world.put(twin);
  world.put(pending("web", 400, 5));
  world.start();
  EXPECT_THAT(world.writes(), ElementsAre("tell default/web"));
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::Unschedulable);
  world.remove("default/twin");
  world.pass(seconds(2));
  EXPECT_THAT(world.writes(), Contains("bind default/web to node-1"));
}

TEST(PlacingReactor, ALessImportantPodDoesNotTakeTheRoomThatIsMade) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(running_pod("low-1", 500, 0, 1));
  world.put(running_pod("low-2", 500, 0, 1));
  world.put(pending("web", 1000, 10));
  world.start();
  (void)world.done();
  world.put(pending("small", 500, 5));
  world.remove("default/low-1");
  world.pass(seconds(15));
  EXPECT_TRUE(world.pod("default/small").node.empty());
  world.remove("default/low-2");
  EXPECT_EQ(world.pod("default/web").node, "node-1");
}

TEST(PlacingReactor, AMoreImportantPodTakesTheNomination) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(running_pod("low", 1000, 0, 1));
  world.put(pending("web", 1000, 10));
  world.start();
  (void)world.done();
  world.put(pending("boss", 1000, 100));
  EXPECT_EQ(world.pod("default/web").nominated_node, "");
  EXPECT_EQ(world.pod("default/boss").nominated_node, "node-1");
  world.remove("default/low");
  EXPECT_EQ(world.pod("default/boss").node, "node-1");
  EXPECT_TRUE(world.pod("default/web").node.empty());
}

// Whatever the API server does first.
TEST(PlacingReactor, ANominationThatEndsIsNotOvertakenByItsBeginning) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(running_pod("low", 1000, 0, 1));
  world.put(pending("web", 1000, 10));
  world.keeps_back = "nominate default/web to node-1";
  world.start();
  world.put(pending("boss", 1000, 100));
  EXPECT_EQ(world.reactor().snapshot().pod("default/web")->nominated_node, "");
  EXPECT_THAT(writes_of(world, "nominate default/web"), IsEmpty()) << "the first is under way";
  world.release();
  EXPECT_THAT(writes_of(world, "nominate default/web"),
              ElementsAre("nominate default/web to node-1", "nominate default/web to nowhere"));
  EXPECT_EQ(world.pod("default/web").nominated_node, "");
}

// A report about a pod is not written once the pod is being bound, but is where the binding fails.
TEST(PlacingReactor, NothingIsSaidOfAPodThatIsBoundMeanwhile) {
  for (const bool is_bound : {true, false}) {
    SchedulerWorld world(full());
    world.put(node(500));
    world.put(pending("web", 1000));
    world.keeps_back = "tell default/web";
    world.start();
    world.put(node(600));
    world.put(node(1000));
    int times = 0;
    world.refuse = [&](const std::string& what) -> std::optional<Error> {
      if (is_bound || !what.starts_with("bind") || ++times > 1) return std::nullopt;
      return refused(Code::Conflict);
    };
    world.pass(seconds(10));
    ASSERT_THAT(world.writes(), Contains("bind default/web to node-1"));
    world.release();
    EXPECT_THAT(world.writes(), ElementsAre("tell default/web")) << "the first, under way before";
  }
}

// The pod has found room elsewhere between the choice and the first delete.
TEST(PlacingReactor, ANominationElsewhereIsLeftAlone) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(node(500, 64 * test::kGi, "node-2"));
  world.put(running_pod("low-1", 500, 0, 1));
  world.put(running_pod("low-2", 500, 0, 1));
  world.put(on(running_pod("other", 500, 0, 2), "node-2"));
  world.put(pending("web", 500, 50));
  world.start();
  ASSERT_EQ(world.pod("default/web").nominated_node, "node-1");
  world.keeps_back = "confirm default/boss";
  world.put(pending("boss", 1000, 100));
  ASSERT_EQ(world.pod("default/web").nominated_node, "node-2");
  (void)world.done();
  world.release();
  EXPECT_THAT(world.writes(), Not(Contains("nominate default/web to nowhere")));
  EXPECT_EQ(world.pod("default/web").nominated_node, "node-2");
  EXPECT_EQ(world.pod("default/boss").nominated_node, "node-1");
}

TEST(PlacingReactor, ANominationThatCouldNotBeWrittenIsKeptAndWrittenAgain) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(running_pod("low", 1000, 0, 1));
  world.put(pending("web", 600, 10));
  int times = 0;
  world.refuse = [&](const std::string& what) -> std::optional<Error> {
    if (!what.starts_with("nominate")) return std::nullopt;
    ++times;
    return refused(Code::Unavailable);
  };
  world.start();
  EXPECT_EQ(world.reactor().snapshot().pod("default/web")->nominated_node, "node-1");
  world.pass(seconds(10));
  EXPECT_EQ(world.reactor().snapshot().pod("default/web")->nominated_node, "node-1");
  EXPECT_GE(times, 4);
  EXPECT_LE(times, 6);  // after 1, 2 and 4 s
  world.refuse = {};
  world.pass(seconds(9));
  EXPECT_EQ(world.pod("default/web").nominated_node, "node-1");
}

TEST(PlacingReactor, AConditionThatCouldNotBeWrittenIsWrittenAgain) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(pending("web", 2000));
  int times = 0;
  world.refuse = [&](const std::string& what) -> std::optional<Error> {
    if (!what.starts_with("tell") || ++times > 2) return std::nullopt;
    return refused(Code::Unavailable);
  };
  world.start();
  world.pass(seconds(10));
  EXPECT_EQ(times, 3);
}

// Both fit once the victims are gone: neither ends the other's nomination again and again.
TEST(PlacingReactor, TwoNominatedPodsLeaveEachOtherAlone) {
  SchedulerWorld world(full());
  world.put(node(4000));
  world.put(running_pod("web", 1000, 0, 1000));
  world.put(running_pod("a", 1000));
  world.put(running_pod("b", 2000));
  world.start();
  world.put(pending("high", 1000, 500));
  world.put(pending("higher", 1000, 600));
  EXPECT_EQ(world.pod("default/high").nominated_node, "node-1");
  EXPECT_EQ(world.pod("default/higher").nominated_node, "node-1");
  (void)world.done();
  world.pass(seconds(20));
  EXPECT_THAT(world.writes(), IsEmpty());
}

TEST(PlacingReactor, ANewLeaderGoesOnWhereTheOldOneEnded) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(node(1000, 64 * test::kGi, "node-2"));
  world.put(running_pod("low-1", 1000, 0, 1));
  world.put(on(running_pod("low-2", 1000, 0, 2), "node-2"));
  world.put(pending("web", 1000, 10));
  world.keeps_back = "delete";
  world.start();
  EXPECT_TRUE(policy::removal_mark(world.pod("default/low-1")));
  world.restart();
  world.keeps_back.clear();
  (void)world.done();
  world.start();
  EXPECT_THAT(world.writes(), Contains("delete default/low-1"));
  EXPECT_FALSE(policy::removal_mark(world.pod("default/low-2")));
}

TEST(PlacingReactor, AGatedPodIsNotLookedAt) {
  SchedulerWorld world(full());
  world.put(node(1000));
  Pod web = pending("web", 600);
  web.placement.gates = {"example.com/wait"};
  world.put(web);
  world.start();
  EXPECT_THAT(world.done(), ElementsAre("tell default/web"));
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::Gated);
  web.placement.gates.clear();
  ++web.generation;
  world.put(web);
  EXPECT_THAT(world.writes(), ElementsAre("bind default/web to node-1"));
}

TEST(PlacingReactor, ANodeThatRefusedAPodIsAvoidedForAWhile) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(node(1000, 64 * test::kGi, "node-2"));
  Pod first = pending("first", 600);
  first.controller = policy::Owner{.kind = "ReplicaSet", .name = "rs", .uid = "rs"};
  world.put(first);
  world.start();
  ASSERT_EQ(world.pod("default/first").node, "node-1");
  Pod failed = world.pod("default/first");
  failed.phase = policy::Phase::Failed;
  world.put(failed);
  Pod second = first;
  second.name = "second";
  second.uid = "uid-second";
  world.put(second);
  EXPECT_EQ(world.pod("default/second").node, "node-2");
}

// Found Failed by a process that has just begun: it counts from when it failed.
TEST(PlacingReactor, ANodeThatRefusedAPodIsAvoidedAfterARestart) {
  for (const bool long_ago : {false, true}) {
    SchedulerWorld world(full());
    world.put(node(1000));
    world.put(node(1000, 64 * test::kGi, "node-2"));
    Pod failed = pending("first", 600);
    failed.controller = policy::Owner{.kind = "ReplicaSet", .name = "rs", .uid = "rs"};
    Pod second = failed;
    failed.node = "node-1";
    failed.phase = policy::Phase::Failed;
    failed.started = world.wall() - seconds(long_ago ? 61 : 59);
    second.name = "second";
    second.uid = "uid-second";
    world.put(failed);
    world.put(second);
    world.start();
    EXPECT_EQ(world.pod("default/second").node, long_ago ? "node-1" : "node-2");
  }
}

// However often a list shows them; of several failures the latest one counts.
TEST(PlacingReactor, EachRefusedPodCountsOnce) {
  SchedulerWorld world(full());
  world.put(node(1000));
  Pod failed = pending("first", 600);
  failed.controller = policy::Owner{.kind = "ReplicaSet", .name = "rs", .uid = "rs"};
  Pod next = failed;
  failed.node = "node-1";
  failed.phase = policy::Phase::Failed;
  for (int i = 0; i < 3; ++i) {
    failed.name = "failed-" + std::to_string(i);
    failed.uid = "uid-" + failed.name;
    failed.started = world.wall() - std::chrono::minutes(3 - i);
    world.put(failed);
  }
  next.name = next.uid = "next";
  world.put(next);
  for (int i = 0; i < 5; ++i) world.start();
  world.pass(std::chrono::minutes(3) - milliseconds(1));
  EXPECT_EQ(world.pod("default/next").node, "") << "four minutes from the last one on";
  world.pass(seconds(1));
  EXPECT_EQ(world.pod("default/next").node, "node-1");
}

TEST(PlacingReactor, ADryRunPlacesNobody) {
  ReactorOptions options = full();
  options.dry_run = true;
  SchedulerWorld world(options);
  world.put(node(1000));
  world.put(pending("web", 600));
  world.put(running_pod("low", 300));
  world.put(pending("big", 1000, 10));
  world.start();
  world.pass(seconds(20));
  EXPECT_THAT(world.writes(), IsEmpty());
}

TEST(PlacingReactor, TheBreakerHoldsUpAPodThatIsNeverServed) {
  ReactorOptions options = full();
  options.breaker.pods_per_node = 1;
  SchedulerWorld world(options);
  world.put(node(1000));
  world.put(running_pod("low-1", 500, 0, 1));
  world.put(running_pod("low-2", 500, 0, 1));
  world.put(pending("web", 1000, 10));
  world.start();
  EXPECT_THAT(world.done(),
              ElementsAre(HasSubstr("The circuit breaker holds up the removal of default/low-1 and "
                                    "default/low-2 from node node-1."),
                          "tell default/web"));
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::TooMany);
}

TEST(PlacingReactor, ADryRunSaysNothingElseOfAPodThatWouldBeBound) {
  ReactorOptions options = full();
  options.dry_run = true;
  SchedulerWorld world(options);
  world.put(node(1000));
  world.put(pending("web", 600));
  world.start();
  EXPECT_THAT(world.done(),
              ElementsAre(HasSubstr("default/web: Preempting: It would be bound to node "
                                    "node-1")));
}

// Nodes with one victim each, and a pod for each of them alone.
void fill_nodes(SchedulerWorld& world, int from, int to) {
  for (int i = from; i <= to; ++i) {
    const std::string number = std::to_string(i);
    policy::Node full_node = node(1000, 64 * test::kGi, "node-" + number);
    full_node.labels["number"] = number;
    world.put(full_node);
    world.put(on(running_pod("low-" + number, 1000, 0, 1), "node-" + number));
    Pod web = pending("web-" + number, 600, 10);
    web.placement.node_selector = {{"number", number}};
    world.put(web);
  }
}

// Twelve removals that a server does not answer do not block other pods.
TEST(PlacingReactor, DeletesThatAreNotAnsweredStopNobodyElse) {
  SchedulerWorld world(full());
  fill_nodes(world, 1, 12);
  world.keeps_back = "delete";
  world.start();
  (void)world.done();
  world.put(node(1000, 64 * test::kGi, "node-99"));
  world.put(pending("other", 600));
  EXPECT_THAT(world.writes(), Contains("bind default/other to node-99"));
}

TEST(PlacingReactor, MarksThatAreNotAnsweredStopNobodyElseForLong) {
  SchedulerWorld world(full());
  fill_nodes(world, 1, 40);
  world.keeps_back = "mark";
  world.start();
  world.put(node(1000, 64 * test::kGi, "node-99"));
  world.put(pending("other", 600));
  EXPECT_THAT(world.writes(), IsEmpty());  // as many as may be are marked first
  world.pass(seconds(5));
  EXPECT_THAT(world.writes(), Contains("bind default/other to node-99"));
  EXPECT_EQ(world.waiting("default/web-9").result, TurnResult::Busy);
  world.release();
  world.pass(seconds(5));
  EXPECT_TRUE(policy::is_terminating(world.pod("default/low-9")));
}

// A removal elsewhere that the breaker holds back is evaluated again once the breaker allows it,
// not only when the awaited pod would be gone.
TEST(PlacingReactor, WaitsForOneThatLeavesLateOnlyUntilTheBreakerAllowsAnotherNode) {
  ReactorOptions options = full();
  options.breaker.pods_per_node = 1;
  SchedulerWorld world(options);
  Pod old = on(running_pod("old", 1000, 0, 1), "node-1");
  old.deletion = world.wall() + std::chrono::hours(2);
  old.deletion_grace_seconds = 7200;
  world.put(node(1000));
  world.put(old);
  policy::Node second = node(1000);
  second.name = "node-2";
  world.put(second);
  world.put(on(running_pod("first", 1000, 0, 1), "node-2"));
  world.put(pending("one", 1000, 10));
  world.start();
  EXPECT_THAT(writes_of(world, "delete"), ElementsAre("delete default/first"));
  world.remove("default/first");
  world.remove("default/one");
  world.put(on(running_pod("second", 1000, 0, 1), "node-2"));
  world.put(pending("web", 1000, 100));
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::Awaits);
  ASSERT_TRUE(world.waiting("default/web").next_look);
  EXPECT_LE(*world.waiting("default/web").next_look, std::chrono::minutes(11));
}

// What was asked to go, and is not shown so yet, goes by the server's clock: ours may be far ahead.
TEST(PlacingReactor, AJumpOfTheClockMakesNoVictimLate) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(on(running_pod("low-1", 1000, 0, 1), "node-1"));
  policy::Node second = node(1000);
  second.name = "node-2";
  world.put(second);
  world.put(on(running_pod("low-2", 1000, 0, 1), "node-2"));
  world.put(pending("web", 600, 10));
  world.tell(ServerDated{world.wall()});
  world.wall_off = std::chrono::hours(24 * 365);
  world.lags = true;
  world.start();
  EXPECT_THAT(writes_of(world, "delete"), SizeIs(1));
  world.put(node(1001));  // it is looked at again
  world.pass(seconds(29));
  EXPECT_THAT(writes_of(world, "delete"), IsEmpty());
}

// As many removals as are allowed: no victims are sought for other pods, but what fits is bound;
// with each removal that ends the next pod continues, after no more time than the circuit breaker
// needs to write that many sets.
TEST(PlacingReactor, WhoeverWaitsForARemovalToEndGoesOnAtOnce) {
  SchedulerWorld world(full());
  fill_nodes(world, 1, 40);
  world.keeps_back = "delete";
  world.start();
  EXPECT_THAT(writes_of(world, "mark "), SizeIs(32));
  EXPECT_EQ(world.waiting("default/web-9").result, TurnResult::Busy);
  EXPECT_EQ(world.waiting("default/web-9").message,
            "pods of many other nodes are being asked to go");
  world.put(node(1000, 64 * test::kGi, "node-99"));
  world.put(pending("other", 600));
  EXPECT_THAT(world.writes(), Contains("bind default/other to node-99"));
  world.release();
  world.pass(milliseconds(400));
  for (int i = 1; i <= 40; ++i) {
    EXPECT_TRUE(policy::is_terminating(world.pod("default/low-" + std::to_string(i)))) << i;
  }
}

// The most important of those that wait.
TEST(PlacingReactor, ARemovalThatEndsMakesWayForTheMostImportantPod) {
  SchedulerWorld world(full());
  fill_nodes(world, 1, 40);
  world.keeps_back = "delete";
  world.start();
  Pod boss = pending("boss", 600, 50);
  boss.placement.node_selector = {{"number", "9"}};
  world.put(boss);
  EXPECT_EQ(world.waiting("default/boss").result, TurnResult::Busy);
  (void)world.writes();
  world.release();
  const std::vector<std::string> marks = writes_of(world, "mark ");
  ASSERT_THAT(marks, SizeIs(8));
  EXPECT_EQ(marks.front(), "mark default/low-9");
}

TEST(PlacingReactor, AResizeGoesOnBesideDeletesThatAreNotAnswered) {
  SchedulerWorld world(full());
  fill_nodes(world, 1, 12);
  world.keeps_back = "delete";
  world.start();
  world.put(node(1000, 64 * test::kGi, "node-99"));
  world.put(on(running_pod("small", 500, 0, 1), "node-99"));
  (void)world.done();
  world.put(on(test::deferred(running_pod("db", 500, 0, 10), 1000), "node-99"));
  EXPECT_THAT(world.writes(), ElementsAre("mark default/small"));
}

TEST(PlacingReactor, AResizeThatWaitsForARemovalToEndGoesOnAtOnce) {
  SchedulerWorld world(full());
  fill_nodes(world, 1, 32);
  world.keeps_back = "delete";
  world.start();
  world.put(node(1000, 64 * test::kGi, "node-99"));
  world.put(on(running_pod("small", 500, 0, 1), "node-99"));
  world.put(on(test::deferred(running_pod("db", 500, 0, 10), 1000), "node-99"));
  EXPECT_EQ(world.waiting("default/db").message, "pods of many other nodes are being asked to go");
  world.release();
  world.pass(milliseconds(400));
  EXPECT_TRUE(policy::is_terminating(world.pod("default/small")));
}

TEST(PlacingReactor, APodThatWaitsForARemovalToEndLooksAgainByItself) {
  SchedulerWorld world(full());
  fill_nodes(world, 1, 32);
  world.keeps_back = "delete";
  world.start();
  world.holds_back = true;
  world.put(pending("boss", 600, 50));
  EXPECT_EQ(world.waiting("default/boss").result, TurnResult::Busy);
  EXPECT_EQ(world.waiting("default/boss").next_look, world.now() + Queue::kLongestBackoff);
}

policy::DisruptionBudget one_at_a_time() {
  policy::DisruptionBudget budget;
  budget.ns = "default";
  budget.name = "low";
  budget.selector = policy::LabelSelector{.match_labels = {{"app", "low"}}, .expressions = {}};
  budget.max_unavailable = policy::IntOrPercent{1, false};
  budget.hard = true;
  return budget;
}

// Of a hard budget that requires all its pods but one.
void fill_covered(SchedulerWorld& world) {
  fill_nodes(world, 1, 2);
  for (const std::string number : {"1", "2"}) {
    Pod low = world.pod("default/low-" + number);
    low.labels["app"] = "low";
    low.conditions.push_back(
        {.type = std::string(policy::kReady), .status = "True", .reason = "", .message = ""});
    world.put(low);
  }
  world.put(one_at_a_time());
}

// The second pod is evaluated while the first delete is not answered.
TEST(PlacingReactor, AHardBudgetIsKeptByRemovalsSideBySide) {
  SchedulerWorld world(full());
  fill_covered(world);
  world.keeps_back = "delete";
  world.start();
  world.release();
  world.pass(seconds(20));
  EXPECT_THAT(writes_of(world, "delete "), SizeIs(1));
}

// A removal that was not accepted uses up no budget: the other pod is removed.
TEST(PlacingReactor, ARefusedDeleteIsTakenBackFromTheBudget) {
  SchedulerWorld world(full());
  fill_covered(world);
  world.refuse = [](const std::string& what) -> std::optional<Error> {
    if (what != "delete default/low-2") return std::nullopt;  // the first one that is asked for
    return refused(Code::Denied);
  };
  world.start();
  world.pass(seconds(20));
  EXPECT_FALSE(policy::is_terminating(world.pod("default/low-2")));
  EXPECT_TRUE(policy::is_terminating(world.pod("default/low-1")));
}

// As an earlier leader has left it.
Pod marked_for(Pod victim, const std::string& uid) {
  victim.conditions.push_back(policy::marking_condition(
      victim, policy::kReasonPreemptionByScheduler, "for another pod",
      {.uid = uid, .generation = 1}, policy::Time{seconds(1'770'000'000)}));
  return victim;
}

// Clearing the old mark would clear that of the new set; also where another writer removes the old
// mark first, and the clear that is in flight would remove the next one.
class MarkTakenBack : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(PlacingReactor, MarkTakenBack, testing::Bool(), [](const auto& is_gone) {
  return std::string(is_gone.param ? "IsGoneBefore" : "IsSeenStill");
});

TEST_P(MarkTakenBack, NobodyIsChosenMeanwhile) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(marked_for(running_pod("low", 1000, 0, 1), "uid-gone"));
  world.keeps_back = "clear";
  world.start();
  if (GetParam()) world.put(running_pod("low", 1000, 0, 1));
  world.put(pending("web", 600, 10));
  EXPECT_THAT(world.writes(), IsEmpty());
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::Busy);
  world.release();
  world.pass(seconds(3));
  EXPECT_TRUE(policy::is_terminating(world.pod("default/low")));
  EXPECT_TRUE(policy::removal_mark(world.pod("default/low")));
}

TEST(PlacingReactor, AMarkForAPodThatIsBoundElsewhereIsTakenBack) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(marked_for(running_pod("low", 1000, 0, 1), "uid-web"));
  world.put(node(1000, 64 * test::kGi, "node-2"));
  world.put(pending("web", 600, 10));
  world.start();
  world.pass(seconds(1));
  EXPECT_EQ(world.pod("default/web").node, "node-2");
  EXPECT_FALSE(policy::removal_mark(world.pod("default/low")));
}

TEST(PlacingReactor, ByUpstreamsRulesNobodyIsAskedTwice) {
  SchedulerWorld world(full_by_upstreams_rules());
  world.put(node(1000));
  world.put(leaving_for_long(world, running_pod("low", 1000, 0, 1)));
  world.put(pending("web", 600, 10));
  world.start();
  EXPECT_THAT(world.writes(), ElementsAre("nominate default/web to node-1"));
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::Awaits);
  world.remove("default/low");
  EXPECT_EQ(world.pod("default/web").node, "node-1");
}

TEST(PlacingReactor, ByUpstreamsRulesOthersGoBesideOneThatLeaves) {
  SchedulerWorld world(full_by_upstreams_rules());
  world.put(node(1000));
  world.put(leaving_for_long(world, running_pod("leaves", 500, 0, 1)));
  world.put(running_pod("low", 500, 0, 1));
  world.put(pending("web", 1000, 10));
  world.start();
  EXPECT_THAT(world.writes(), Contains("delete default/low"));
}

// Upstream's rules let a nominated pod wait for the scheduler's own victims on its node. The
// nomination that comes with a removal is no reason to give that removal up.
TEST(PlacingReactor, ByUpstreamsRulesOthersGoBesideAVictimOfAnotherPod) {
  SchedulerWorld world(full_by_upstreams_rules());
  world.put(node(1000));
  Pod victim = leaving_for_long(world, running_pod("leaves", 500, 0, 1));
  victim.conditions.push_back({.type = std::string(policy::kDisruptionTarget),
                               .status = "True",
                               .reason = std::string(policy::kReasonPreemptionByScheduler)});
  world.put(victim);
  world.put(running_pod("low", 500, 0, 1));
  world.put(pending("web", 1000, 10));
  world.start();
  EXPECT_THAT(writes_of(world, "delete"), ElementsAre("delete default/low"));
}

TEST(PlacingReactor, APodThatWaitsForAnotherToLeaveTakesTheNodeThatItAvoidedBefore) {
  SchedulerWorld world(full_by_upstreams_rules());
  world.put(node(1000));
  world.put(node(1000, 64 * test::kGi, "node-2"));
  Pod failed = on(pending("x", 600, 10), "node-1");
  failed.controller = policy::Owner{.uid = "of-web"};
  failed.phase = policy::Phase::Failed;
  world.put(failed);
  world.put(leaving_for_long(world, on(running_pod("low", 1000, 0, 1), "node-2")));
  Pod web = pending("web", 600, 10);
  web.controller = failed.controller;
  world.put(web);
  world.start();
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::Awaits);
  world.pass(seconds(61));
  EXPECT_EQ(world.pod("default/web").node, "node-1");
}

TEST(PlacingReactor, ByUpstreamsRulesANodeThatIsStuckLosesNobody) {
  SchedulerWorld world(full_by_upstreams_rules());
  policy::Node silent = node(1000);
  silent.ready = policy::NodeReady::Unknown;
  world.put(silent);
  world.put(running_pod("low", 1000, 0, 1));
  world.put(pending("web", 600, 10));
  world.start();
  EXPECT_THAT(world.writes(), ElementsAre("tell default/web"));
  silent.ready = policy::NodeReady::True;
  world.put(silent);
  world.pass(seconds(10));
  EXPECT_TRUE(policy::is_terminating(world.pod("default/low")));
}

// The desired size is charged until the node says Infeasible.
TEST(PlacingReactor, RoomThatAnInfeasibleResizeGivesBackIsUsed) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(test::resized(running_pod("big", 500, 0, 100), 1000));
  world.put(pending("web", 500));
  world.start();
  EXPECT_THAT(world.writes(), ElementsAre("tell default/web"));
  world.pass(seconds(2));
  Pod big = world.pod("default/big");
  big.conditions.push_back({.type = std::string(policy::kPodResizePending),
                            .status = "True",
                            .reason = std::string(policy::kReasonInfeasible),
                            .message = "Node didn't have enough capacity",
                            .observed_generation = big.generation});
  world.put(big);
  EXPECT_THAT(world.writes(), ElementsAre("bind default/web to node-1"));
}

// The budget was made between the last look and the answer to the delete.
TEST(PlacingReactor, ADeleteIsDebitedFromABudgetThatCameMeanwhile) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(running_pod("low", 1000, 0, 1));
  world.put(pending("web", 600, 10));
  world.keeps_back = "delete";
  world.start();
  policy::PodDisruptionBudget budget{.ns = "default", .name = "all", .disruptions_allowed = 1};
  budget.selector = policy::LabelSelector{};
  world.put(budget);
  const auto allowed = [&] {
    ReactorState state = world.reactor().state();
    return state.cluster.room().budgets().at(0).allowed;
  };
  EXPECT_EQ(allowed(), 1);
  world.release();
  EXPECT_EQ(allowed(), 0);
}

// It is not known whether it was done: the same pod may be deleted again.
TEST(PlacingReactor, ADeleteThatFailedLeavesNothingInTheBudget) {
  SchedulerWorld world(full());
  fill_covered(world);
  world.put(on(world.pod("default/web-2"), "node-3"));
  int times = 0;
  world.refuse = [&times](const std::string& what) -> std::optional<Error> {
    if (what != "delete default/low-1" || ++times > 1) return std::nullopt;
    return refused(Code::Unavailable);
  };
  world.start();
  world.pass(seconds(20));
  EXPECT_TRUE(policy::is_terminating(world.pod("default/low-1")));
}

TEST(PlacingReactor, ExplainsThatAnyNodesChangeWakesAPendingPod) {
  SchedulerWorld world(full());
  world.put(node(4000));
  world.put(pending("huge", 9000));
  world.start();
  const auto document =
      parse_json(explain(world.reactor(), "default/huge", {world.now(), world.wall()}, false));
  ASSERT_TRUE(document);
  const Value* wakes = document->find("wakesAnywhere");
  ASSERT_NE(wakes, nullptr);
  EXPECT_FALSE(wakes->items.empty());
}

}  // namespace
}  // namespace elbowroom::scheduler
