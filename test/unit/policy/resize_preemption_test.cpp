#include "policy/preemption/resize_preemption.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policy/model/removal_mark.h"
#include "test/node_world.h"

namespace elbowroom::policy {
namespace {

using test::condition;
using test::deferred_to;
using test::figures;
using test::kNoon;
using test::NodeWorld;
using test::plan;
using test::pod_of_size;
using test::terminating;
using test::victims;
using test::victims_of;
using test::why_considered;
using test::world_of;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using Outcome = PreemptionOutcome;

// web (priority 1000) holds 1 cpu of 4 and wants 2; a, b and c hold 1 cpu each.
NodeWorld full_node() {
  NodeWorld world = world_of(4000);
  world.pods = {deferred_to(pod_of_size("web", 1000, figures(1000)), figures(2000)),
                pod_of_size("a", 0, figures(1000), 1), pod_of_size("b", 0, figures(1000), 2),
                pod_of_size("c", 0, figures(1000), 3)};
  return world;
}

Pod& named(NodeWorld& world, const std::string& name) {
  return *std::ranges::find(world.pods, name, &Pod::name);
}

// ---- the choice ----

TEST(ResizePreemption, TheYoungestOfEqualsGoesAndIsToldWhy) {
  const NodeWorld world = full_node();
  const ResizePreemption got = plan(world, "web");
  EXPECT_EQ(got.outcome, Outcome::Preempt);
  EXPECT_EQ(got.by, RoomMaker::Scheduler);
  ASSERT_THAT(victims_of(got), UnorderedElementsAre("c"));
  EXPECT_EQ(got.victims[0].why,
            "lowest priority (0) whose 1 cpu is needed; equal to default/b but started later");
  EXPECT_EQ(got.message, "removing 1 pod of lower priority makes up for the lacking 1 cpu");
}

TEST(ResizePreemption, TheQosClassIsAReasonByOurRulesAlone) {
  NodeWorld world = full_node();
  for (const char* stays : {"a", "b"}) named(world, stays).qos_in_status = Qos::Guaranteed;
  const auto why = [&] { return plan(world, "web").victims.at(0).why; };
  EXPECT_THAT(why(), HasSubstr("equal to default/b but Burstable, not Guaranteed"));
  world.rules = RuleSet::Upstream;
  EXPECT_THAT(why(), HasSubstr("equal to default/b but started later"));
}

TEST(ResizePreemption, EqualPriorityIsNotBelow) {
  NodeWorld world = full_node();
  for (const char* name : {"a", "b", "c"}) named(world, name).priority = 1000;
  const ResizePreemption got = plan(world, "web");
  EXPECT_EQ(got.outcome, Outcome::NoVictims);
  EXPECT_THAT(got.victims, IsEmpty());
  for (const char* name : {"a", "b", "c"}) {
    EXPECT_EQ(why_considered(got, name), "priority 1000 is not below 1000");
  }
}

TEST(ResizePreemption, OneTooImportantPodDoesNotStopTheOthersFromGoing) {
  NodeWorld world = full_node();
  named(world, "c").priority = 2000;
  const ResizePreemption got = plan(world, "web");
  EXPECT_THAT(victims_of(got), UnorderedElementsAre("b"));
  EXPECT_EQ(why_considered(got, "c"), "priority 2000 is not below 1000");
}

TEST(ResizePreemption, PodsThatFreeNothingStay) {
  NodeWorld world = full_node();
  world.pods.push_back(pod_of_size("idle", -5, figures(0), 9));
  named(world, "idle").qos_in_status = Qos::BestEffort;
  const ResizePreemption got = plan(world, "web");
  EXPECT_THAT(victims_of(got), UnorderedElementsAre("c"));
  EXPECT_EQ(why_considered(got, "idle"), "stays: it holds nothing of what is lacking");
}

TEST(ResizePreemption, QosWeighsOnlyByDefaultRules) {
  NodeWorld world = full_node();
  named(world, "c").qos_in_status = Qos::Guaranteed;
  EXPECT_THAT(victims(world, "web"), UnorderedElementsAre("b"));
  world.rules = RuleSet::Upstream;
  EXPECT_THAT(victims(world, "web"), UnorderedElementsAre("c"));
}

TEST(ResizePreemption, APodWithoutStartTimeIsTheLatest) {
  NodeWorld world = full_node();
  named(world, "a").started.reset();
  EXPECT_THAT(victims(world, "web"), UnorderedElementsAre("a"));
  world.rules = RuleSet::Upstream;
  EXPECT_THAT(victims(world, "web"), UnorderedElementsAre("a"));
}

TEST(ResizePreemption, TheGreaterUidOfTwinsGoes) {
  NodeWorld world = full_node();
  for (const char* name : {"a", "b", "c"}) named(world, name).started = kNoon;
  EXPECT_THAT(victims(world, "web"), UnorderedElementsAre("c"));
}

TEST(ResizePreemption, OthersCountAtWhatTheyHoldAndNotAtWhatTheyWish) {
  NodeWorld world = full_node();
  named(world, "a") = deferred_to(named(world, "a"), figures(4000));
  named(world, "a").priority = 500;
  named(world, "b").containers[0].allocated_requests = figures(1500);  // grows, not actuated yet
  world.node.allocatable = figures(4500);
  EXPECT_THAT(victims(world, "web"), UnorderedElementsAre("c"));
}

TEST(ResizePreemption, OnlyWhatTheResizeRaisesIsChecked) {
  NodeWorld world = full_node();
  world.node.allocatable.memory.value = 100;
  named(world, "web").containers[0].desired.requests = figures(2000, 50);
  named(world, "web").containers[0].allocated_requests = figures(1000, 50);
  named(world, "web").containers[0].actual_requests = figures(1000, 50);
  named(world, "a").containers[0].desired.requests = figures(1000, 900);
  named(world, "a").containers[0].allocated_requests = figures(1000, 900);
  named(world, "a").priority = 2000;
  EXPECT_THAT(victims(world, "web"), UnorderedElementsAre("c"));
  world.rules = RuleSet::Upstream;  // memory stays over-committed whatever pod is removed
  EXPECT_EQ(plan(world, "web").outcome, Outcome::NoVictims);
}

TEST(ResizePreemption, AnExtendedResourceTheNodeDoesNotListIsNotChecked) {
  NodeWorld world = full_node();
  set_amount(named(world, "web").containers[0].desired.requests, "example.com/gpu", 1);
  EXPECT_THAT(victims(world, "web"), UnorderedElementsAre("c"));
}

TEST(ResizePreemption, TheOwnSlotCountsOnlyByUpstreamsRules) {
  NodeWorld world = full_node();
  world.node.allocatable = figures(5000);
  world.node.allowed_pods = 4;
  EXPECT_EQ(plan(world, "web").outcome, Outcome::NotNeeded);
  EXPECT_EQ(plan(world, "web").by, RoomMaker::Nobody);
  world.rules = RuleSet::Upstream;
  EXPECT_THAT(victims(world, "web"), UnorderedElementsAre("c"));
}

// A group that is not understood may be part of something larger.
TEST(ResizePreemption, StaticAndMirrorPodsAndThoseOfUnclearGroupsAreNeverVictims) {
  NodeWorld world = full_node();
  named(world, "a").is_static = true;
  named(world, "b").is_mirror = true;
  named(world, "c").scheduling_group = "gang";
  named(world, "c").group = {.uid = "g", .obstacle = GroupObstacle::CompositeParent};
  for (const RuleSet rules : {RuleSet::Elbowroom, RuleSet::Upstream}) {
    world.rules = rules;
    const ResizePreemption got = plan(world, "web");
    EXPECT_EQ(got.outcome, Outcome::NoVictims);
    EXPECT_EQ(why_considered(got, "a"), "static pods are never removed");
    EXPECT_EQ(why_considered(got, "b"), "mirror pods are never removed");
    EXPECT_THAT(why_considered(got, "c"), HasSubstr("pod group default/gang"));
  }
}

TEST(ResizePreemption, NobodyGoesWhenAllOfThemWouldNotBeEnough) {
  NodeWorld world = full_node();
  world.pods.push_back(pod_of_size("rock", 2000, figures(3000)));
  const ResizePreemption got = plan(world, "web");
  EXPECT_EQ(got.outcome, Outcome::NoVictims);
  EXPECT_EQ(got.message,
            "removing all pods that may be removed (3) would not be enough: 1 cpu would be lacking "
            "still");
}

TEST(ResizePreemption, AboveAllocatableNobodyIsRemoved) {
  NodeWorld world = full_node();
  named(world, "web").containers[0].desired.requests = figures(4001);
  EXPECT_EQ(plan(world, "web").outcome, Outcome::NoVictims);
}

TEST(ResizePreemption, SumsThatLeave64BitsNeverFit) {
  NodeWorld world = world_of(kMaxAmount);
  world.pods = {deferred_to(pod_of_size("web", 1000, figures(1)), figures(kMaxAmount - 1)),
                pod_of_size("a", 2000, figures(kMaxAmount)), pod_of_size("b", 0, figures(1))};
  EXPECT_EQ(plan(world, "web").outcome, Outcome::NoVictims);
}

TEST(ResizePreemption, ATotalOfExactlyTheLargestAmountFitsWhenAPodIsGone) {
  NodeWorld world = world_of(kMaxAmount);
  world.pods = {deferred_to(pod_of_size("web", 1000, figures(1)), figures(kMaxAmount - 5)),
                pod_of_size("a", 2000, figures(5)), pod_of_size("b", 0, figures(1))};
  for (const RuleSet rules : {RuleSet::Elbowroom, RuleSet::Upstream}) {
    world.rules = rules;
    const ResizePreemption got = plan(world, "web");
    EXPECT_EQ(got.outcome, Outcome::Preempt);
    EXPECT_THAT(victims_of(got), UnorderedElementsAre("b"));
  }
}

// ---- what forbids preemption ----

// Nothing is removed for it, and it claims nothing of the room that its removal frees.
TEST(ResizePreemption, AVictimOfAnEarlierResizeIsToldSo) {
  NodeWorld world = world_of(4000);
  world.pods = {deferred_to(pod_of_size("db", 1000, figures(1000)), figures(2000)),
                deferred_to(pod_of_size("web", 100, figures(1000)), figures(2000)),
                pod_of_size("low", 5000, figures(2000)), pod_of_size("a", 0, figures(0))};
  EXPECT_THAT(victims_of(plan(world, "db")), UnorderedElementsAre("web"));
  const ResizePreemption got = plan(world, "web");
  EXPECT_EQ(got.outcome, Outcome::NoVictims);
  EXPECT_THAT(got.victims, IsEmpty());
  EXPECT_EQ(got.message.full(),
            "nobody is removed for pod default/web, which is itself to go for the resize of "
            "default/db");
}

TEST(ResizePreemption, ANodePolicyWithOneOwnerDisables) {
  NodeWorld world = full_node();
  world.node.resize_preemption_owners = {"example.com/team"};
  for (const RuleSet rules : {RuleSet::Elbowroom, RuleSet::Upstream}) {
    world.rules = rules;
    const ResizePreemption got = plan(world, "web");
    EXPECT_EQ(got.outcome, Outcome::Disabled);
    EXPECT_THAT(got.victims, IsEmpty());
    EXPECT_THAT(got.message.full(), HasSubstr("example.com/team"));
  }
}

TEST(ResizePreemption, AConditionOfAnotherWriterDisablesUnlessItIsFalse) {
  NodeWorld world = full_node();
  Pod& web = named(world, "web");
  web.conditions.push_back(condition(kPodResizePreemptionDisabled, "SomethingElse"));
  EXPECT_EQ(plan(world, "web").outcome, Outcome::Disabled);
  web.conditions.back().status = "False";
  EXPECT_EQ(plan(world, "web").outcome, Outcome::Preempt);
}

// The Node says itself what its policy is.
TEST(ResizePreemption, AConditionThatOutlivedTheNodesPolicyDisablesNothing) {
  for (const char* reason : {"PreemptionDisabledByNodePolicy", "PreemptionDisabled"}) {
    NodeWorld world = full_node();
    named(world, "web").conditions.push_back(condition(kPodResizePreemptionDisabled, reason));
    EXPECT_EQ(plan(world, "web").outcome, Outcome::Preempt) << reason;
    world.node.resize_preemption_owners = {"example.com/team"};
    EXPECT_EQ(plan(world, "web").outcome, Outcome::Disabled) << reason;
  }
}

TEST(ResizePreemption, PolicyNeverRemovesNobody) {
  NodeWorld world = full_node();
  named(world, "web").preemption_policy = PreemptionPolicy::Never;
  EXPECT_EQ(plan(world, "web").outcome, Outcome::PolicyNever);
  EXPECT_THAT(victims(world, "web"), IsEmpty());
}

TEST(ResizePreemption, ANodeThatIsNotReadyLosesNobody) {
  NodeWorld world = full_node();
  for (const RuleSet rules : {RuleSet::Elbowroom, RuleSet::Upstream}) {
    world.rules = rules;
    for (const NodeReady ready : {NodeReady::False, NodeReady::Unknown}) {
      world.node.ready = ready;
      const ResizePreemption got = plan(world, "web");
      EXPECT_EQ(got.outcome, Outcome::NoVictims);
      EXPECT_THAT(got.victims, IsEmpty());
      EXPECT_THAT(got.message.full(), HasSubstr("node1 is not ready"));
    }
    world.node.ready = NodeReady::Unstated;
    EXPECT_EQ(plan(world, "web").outcome, Outcome::Preempt);
  }
}

TEST(ResizePreemption, AnOverdueVictimOfOursStopsFurtherRemovals) {
  NodeWorld world = full_node();
  Pod gone = terminating(pod_of_size("gone", 0, figures(0, 1)), -31);
  world.pods.push_back(gone);
  EXPECT_EQ(plan(world, "web").outcome, Outcome::Preempt) << "nobody of ours: merely overdue";

  named(world, "gone")
      .conditions.push_back(
          marking_condition(gone, kReasonPreemptionByScheduler, "for web", {"web", 2}, kNoon));
  const ResizePreemption got = plan(world, "web");
  EXPECT_EQ(got.outcome, Outcome::NoVictims);
  EXPECT_THAT(got.message.full(), HasSubstr("default/gone"));
  world.rules = RuleSet::Upstream;
  EXPECT_EQ(plan(world, "web").outcome, Outcome::NoVictims);
  world.rules = RuleSet::Elbowroom;

  named(world, "gone").containers[0].state = RunState::Terminated;
  EXPECT_EQ(plan(world, "web").outcome, Outcome::Preempt) << "it holds no room any more";
}

TEST(ResizePreemption, ATerminatingPodRemovesNobody) {
  NodeWorld world = full_node();
  named(world, "web") = terminating(named(world, "web"), 10);
  EXPECT_EQ(plan(world, "web").outcome, Outcome::NoVictims);
}

// ---- room on its way ----

TEST(RoomOnItsWay, EnoughOfItMeansWaiting) {
  NodeWorld world = full_node();
  named(world, "a") = terminating(named(world, "a"), 10);
  named(world, "a").priority = 5000;  // whatever removes it, and however important it is
  const ResizePreemption got = plan(world, "web");
  EXPECT_EQ(got.outcome, Outcome::AwaitingVictims);
  EXPECT_THAT(got.victims, IsEmpty());
  EXPECT_EQ(got.message, "enough room is on its way: default/a leaves");
}

TEST(RoomOnItsWay, TooLittleOfItMeansAdditionalVictimsOnly) {
  NodeWorld world = full_node();
  named(world, "web").containers[0].desired.requests = figures(3000);
  named(world, "a") = terminating(named(world, "a"), 10);
  EXPECT_THAT(victims(world, "web"), UnorderedElementsAre("c"));
}

TEST(RoomOnItsWay, TerminatingPodsCountAsLeavingUntilHalfAMinuteAfterTheirDeadline) {
  NodeWorld world = full_node();
  named(world, "c") = terminating(named(world, "c"), -29);
  EXPECT_EQ(plan(world, "web").outcome, Outcome::AwaitingVictims);
  named(world, "c") = terminating(named(world, "c"), -30);
  EXPECT_THAT(victims(world, "web"), UnorderedElementsAre("b"));
  EXPECT_THAT(why_considered(plan(world, "web"), "c"), HasSubstr("overdue"));
}

TEST(RoomOnItsWay, UpstreamCountsAndChoosesTerminatingPodsLikeOthers) {
  NodeWorld world = full_node();
  named(world, "c") = terminating(named(world, "c"), 10);
  world.rules = RuleSet::Upstream;
  EXPECT_THAT(victims(world, "web"), UnorderedElementsAre("c"));
}

TEST(RoomOnItsWay, AnAllocatedShrinkCountsAsDoneUnlessItFailedOrIsStuck) {
  NodeWorld world = full_node();
  Pod& a = named(world, "a");
  a.containers[0].desired.requests = figures(100);
  a.containers[0].allocated_requests = figures(100);
  world.node.allocatable = figures(4200);
  EXPECT_EQ(plan(world, "web").outcome, Outcome::AwaitingVictims);
  EXPECT_EQ(plan(world, "web").message, "enough room is on its way: default/a shrinks");

  a.conditions = {condition(kPodResizeInProgress, "")};
  a.conditions[0].last_transition = kNoon - std::chrono::seconds{60};
  EXPECT_EQ(plan(world, "web").outcome, Outcome::AwaitingVictims);
  a.conditions[0].last_transition = kNoon - std::chrono::seconds{61};
  EXPECT_EQ(plan(world, "web").outcome, Outcome::Preempt);
  a.conditions = {condition(kPodResizeInProgress, kReasonError)};
  EXPECT_EQ(plan(world, "web").outcome, Outcome::Preempt);
}

TEST(RoomOnItsWay, APureShrinkThatNobodyJudgedCountsAsDesired) {
  NodeWorld world = full_node();
  Pod& a = named(world, "a");
  a.containers[0].desired.requests = figures(0);
  EXPECT_EQ(plan(world, "web").outcome, Outcome::AwaitingVictims);

  a.containers[0].desired.requests = figures(0, 1);  // grows in memory: no pure shrink
  EXPECT_EQ(plan(world, "web").outcome, Outcome::Preempt);

  a.containers[0].desired.requests = figures(0);
  a.conditions = {condition(kPodResizePending, kReasonInfeasible)};
  EXPECT_EQ(plan(world, "web").outcome, Outcome::Preempt);
}

TEST(RoomOnItsWay, NominatedPodsOfEqualOrHigherPriorityGetItFirst) {
  NodeWorld world = full_node();
  named(world, "a") = terminating(named(world, "a"), 10);
  Pod next = pod_of_size("next", 1000, figures(1000));
  next.node = "";
  next.phase = Phase::Pending;
  next.containers[0].allocated_requests.reset();
  next.containers[0].actual_requests.reset();
  next.nominated_node = "node1";
  world.nominated = {next};
  EXPECT_THAT(victims(world, "web"), UnorderedElementsAre("c"));
  world.nominated[0].priority = 999;
  EXPECT_EQ(plan(world, "web").outcome, Outcome::AwaitingVictims);
}

TEST(RoomOnItsWay, ANominatedPodThatFitsNowhereAddsNoVictims) {
  NodeWorld world = full_node();
  Pod next = pod_of_size("next", 5000, figures(3000));
  next.node = "";
  world.nominated = {next};
  EXPECT_THAT(victims(world, "web"), UnorderedElementsAre("c"));
}

// A pending pod that was nominated to the node.
Pod nominated(const std::string& name, std::int32_t priority, const Resources& size) {
  Pod pod = pod_of_size(name, priority, size);
  pod.node = "";
  pod.phase = Phase::Pending;
  pod.containers[0].allocated_requests.reset();
  pod.containers[0].actual_requests.reset();
  pod.nominated_node = "node1";
  return pod;
}

// `web` lacks 1 cpu; `big` holds 2 and `small`, less important, the other one.
NodeWorld node_of_two_sizes() {
  NodeWorld world = world_of(4000);
  world.pods = {deferred_to(pod_of_size("web", 100, figures(1000)), figures(2000)),
                pod_of_size("big", 0, figures(2000), 1), pod_of_size("small", 0, figures(1000), 2)};
  return world;
}

TEST(RoomThatComesFree, IsTakenFirstByANominatedPodAndSoIsMoreAtOnce) {
  NodeWorld world = node_of_two_sizes();
  EXPECT_THAT(victims(world, "web"), UnorderedElementsAre("small"));
  world.nominated = {nominated("next", 200, figures(1000))};
  const ResizePreemption got = plan(world, "web");
  EXPECT_THAT(victims_of(got), UnorderedElementsAre("big"));
  EXPECT_EQ(got.message,
            "removing 1 pod of lower priority makes up for the lacking 2 cpu, what default/next "
            "takes first included");
  world.nominated[0].priority = 99;
  EXPECT_THAT(victims(world, "web"), UnorderedElementsAre("small"));
}

TEST(RoomThatComesFree, ByUpstreamsRulesIsHeldForNominatedPodsOfEqualOrHigherPriority) {
  NodeWorld world = node_of_two_sizes();
  world.rules = RuleSet::Upstream;
  world.nominated = {nominated("next", 200, figures(1000))};
  EXPECT_THAT(victims(world, "web"), UnorderedElementsAre("big"));
  world.nominated[0].priority = 99;
  EXPECT_THAT(victims(world, "web"), UnorderedElementsAre("small"));
}

TEST(RoomThatComesFree, CostsNobodyWhereANominatedPodTakesAllOfIt) {
  NodeWorld world = node_of_two_sizes();
  world.nominated = {nominated("a", 200, figures(1000)), nominated("b", 200, figures(2000))};
  const ResizePreemption got = plan(world, "web");
  EXPECT_EQ(got.outcome, Outcome::NoVictims);
  EXPECT_THAT(got.message.full(), HasSubstr("1 cpu would be lacking still"));
}

TEST(RoomThatComesFree, IsTakenFirstByAnEarlierResizeThatMayRemoveNobody) {
  NodeWorld world = node_of_two_sizes();
  world.node.allocatable = figures(5000);
  world.pods.push_back(deferred_to(pod_of_size("db", 900, figures(1000)), figures(2000)));
  named(world, "db").preemption_policy = PreemptionPolicy::Never;
  const ResizePreemption got = plan(world, "web");
  EXPECT_THAT(victims_of(got), UnorderedElementsAre("big"));
  EXPECT_THAT(got.message.full(), HasSubstr("what default/db takes first included"));

  // A pod that is too large for the freed room takes nothing of it.
  named(world, "db").containers[0].desired.requests = figures(4500);
  EXPECT_THAT(victims(world, "web"), UnorderedElementsAre("small"));
}

TEST(RoomOnItsWay, IsDealtOutOnceInRetryOrder) {
  NodeWorld world = full_node();
  world.node.allocatable = figures(5000);
  world.pods.push_back(deferred_to(pod_of_size("db", 900, figures(1000)), figures(2000)));
  named(world, "a") = terminating(named(world, "a"), 10);
  EXPECT_EQ(plan(world, "web").outcome, Outcome::AwaitingVictims);
  const ResizePreemption got = plan(world, "db");
  EXPECT_THAT(victims_of(got), UnorderedElementsAre("c"));
  EXPECT_EQ(why_considered(got, "web"), "priority 1000 is not below 900");
}

TEST(RoomOnItsWay, EarlierDeferredPodsTakeTheirVictimsOutOfTheReachOfLaterOnes) {
  NodeWorld world = full_node();
  world.node.allocatable = figures(5000);
  world.pods.push_back(deferred_to(pod_of_size("db", 900, figures(1000)), figures(2000)));
  EXPECT_THAT(victims(world, "web"), UnorderedElementsAre("c"));
  const ResizePreemption got = plan(world, "db");
  EXPECT_THAT(victims_of(got), UnorderedElementsAre("b"));
  EXPECT_EQ(why_considered(got, "c"), "makes room for default/web already");
}

TEST(RoomOnItsWay, ALaterPodWaitsForWhatAnEarlierVictimLeavesOver) {
  NodeWorld world = world_of(4000);
  world.pods = {deferred_to(pod_of_size("web", 1000, figures(1000)), figures(1500)),
                deferred_to(pod_of_size("db", 900, figures(1000)), figures(1500)),
                pod_of_size("low", 0, figures(2000))};
  EXPECT_THAT(victims(world, "web"), UnorderedElementsAre("low"));
  EXPECT_EQ(plan(world, "db").outcome, Outcome::AwaitingVictims);
}

TEST(RoomOnItsWay, WhoCannotGetRoomClaimsNone) {
  NodeWorld world = full_node();
  world.node.allocatable = figures(5000);
  world.pods.push_back(deferred_to(pod_of_size("db", 900, figures(1000)), figures(2000)));
  named(world, "web").preemption_policy = PreemptionPolicy::Never;
  named(world, "a") = terminating(named(world, "a"), 10);
  // It is as large as the node, and takes nothing of the freed room.
  named(world, "web").containers[0].desired.requests = figures(5000);
  EXPECT_EQ(plan(world, "db").outcome, Outcome::AwaitingVictims);
}

TEST(ResizePreemption, ThePlanOfTheWholeNodeIsInRetryOrderAndSaysTheSame) {
  NodeWorld world = full_node();
  world.node.allocatable = figures(5000);
  world.pods.push_back(deferred_to(pod_of_size("db", 900, figures(1000)), figures(2000)));
  const OverduePods lapsed;
  const auto all = plan_resize_preemptions({.node = world.node,
                                            .pods = world.pods,
                                            .nominated = {},
                                            .budgets = world.budgets,
                                            .lapsed = lapsed,
                                            .now = kNoon});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].pod->name, "web");
  EXPECT_EQ(victims_of(all[0].plan), victims(world, "web"));
  EXPECT_EQ(all[1].pod->name, "db");
  EXPECT_EQ(victims_of(all[1].plan), victims(world, "db"));
}

// ---- intents ----

Pod& marked_for(Pod& pod, const Pod& preemptor, std::int64_t generation) {
  pod.conditions.push_back(marking_condition(pod, kReasonPreemptionByScheduler, "words",
                                             {preemptor.uid, generation}, kNoon));
  return pod;
}

TEST(ResizePreemption, WhoWasMarkedForThisVeryResizeIsTakenFirst) {
  NodeWorld world = full_node();
  const Pod web = named(world, "web");
  marked_for(named(world, "a"), web, web.generation);
  const ResizePreemption got = plan(world, "web");
  ASSERT_THAT(victims_of(got), UnorderedElementsAre("a"));
  EXPECT_EQ(got.victims[0].why,
            "lowest priority (0) whose 1 cpu is needed; was marked for this resize already");
}

TEST(ResizePreemption, AMarkForAnotherResizeChangesNothing) {
  NodeWorld world = full_node();
  const Pod web = named(world, "web");
  marked_for(named(world, "a"), web, web.generation - 1);
  marked_for(named(world, "b"), named(world, "c"), 1);
  EXPECT_THAT(victims(world, "web"), UnorderedElementsAre("c"));
}

TEST(ResizePreemption, NobodyIsRemovedForAPodWithResourceClaims) {
  for (const RuleSet rules : {RuleSet::Elbowroom, RuleSet::Upstream}) {
    NodeWorld world = full_node();
    world.rules = rules;
    ASSERT_EQ(plan(world, "web").outcome, Outcome::Preempt);
    named(world, "web").has_resource_claims = true;
    const ResizePreemption got = plan(world, "web");
    EXPECT_EQ(got.outcome, Outcome::NoVictims);
    EXPECT_THAT(got.victims, IsEmpty());
    EXPECT_EQ(got.message,
              "nobody is removed for pod default/web, which has resource claims: their devices are "
              "not counted");
  }
}

// As of a memory volume's size, which shares the condition.
TEST(ResizePreemption, NoPodIsRemovedForAResizeThatRaisesNeitherCpuNorMemory) {
  for (const RuleSet rules : {RuleSet::Elbowroom, RuleSet::Upstream}) {
    for (const bool by_node : {false, true}) {
      NodeWorld world = full_node();
      world.rules = rules;
      Pod& web = named(world, "web");
      web.containers[0].desired.requests = figures(1000);
      set_amount(web.containers[0].desired.requests, kEphemeralStorage, 500);
      web.priority = 2'000'000'000;
      world.critical_by_node = by_node;
      const ResizePreemption got = plan(world, "web");
      EXPECT_THAT(got.victims, IsEmpty());
      EXPECT_EQ(got.outcome, Outcome::NoVictims);
      EXPECT_EQ(got.message, "no pod is removed for this resize: it raises neither cpu nor memory");
    }
  }
}

TEST(RoomOnItsWay, AShrinkThatNobodyJudgedIsBelievedInOnlyForAWhile) {
  NodeWorld world = full_node();
  Pod& a = named(world, "a");
  a.containers[0].desired.requests = figures(0);
  EXPECT_EQ(charge_after_shrinks(a, totals_of(a), {}), figures(0));
  EXPECT_EQ(charge_after_shrinks(a, totals_of(a), {.unevaluated_shrinks = {a.uid}}), figures(1000));
}

// ---- budgets ----

PodDisruptionBudget budget_for(const std::string& app, std::int64_t allowed) {
  PodDisruptionBudget budget;
  budget.ns = "default";
  budget.name = "pdb";
  budget.selector = LabelSelector{.match_labels = {{"app", app}}, .expressions = {}};
  budget.disruptions_allowed = allowed;
  return budget;
}

TEST(ResizePreemption, WhoWouldBreakABudgetIsSparedFirst) {
  NodeWorld world = full_node();
  named(world, "c").labels["app"] = "x";
  world.budgets.upstream = {budget_for("x", 0)};
  const ResizePreemption got = plan(world, "web");
  EXPECT_THAT(victims_of(got), UnorderedElementsAre("b"));
  EXPECT_EQ(got.budget_violations, 0);
  world.budgets.upstream = {budget_for("x", 1)};
  EXPECT_THAT(victims(world, "web"), UnorderedElementsAre("c"));
}

TEST(ResizePreemption, AnUnhealthyPodThatAPodDisruptionBudgetSparesBreaksNone) {
  NodeWorld world = full_node();
  Pod& c = named(world, "c");
  c.labels["app"] = "x";
  c.phase = Phase::Running;
  std::erase_if(c.conditions, [](const Condition& each) { return each.type == kReady; });
  c.conditions.push_back(test::condition(kReady, "", "False"));
  world.budgets.upstream = {budget_for("x", 0)};
  EXPECT_THAT(victims(world, "web"), UnorderedElementsAre("b")) << "no healthy Pod is desired";
  world.budgets.upstream[0].desired_healthy = world.budgets.upstream[0].current_healthy = 1;
  const ResizePreemption got = plan(world, "web");
  EXPECT_THAT(victims_of(got), UnorderedElementsAre("c"));
  EXPECT_EQ(got.budget_violations, 0);
  world.rules = RuleSet::Upstream;
  EXPECT_THAT(victims(world, "web"), UnorderedElementsAre("b")) << "kube-scheduler charges it";
}

TEST(ResizePreemption, ASoftDisruptionBudgetDecidesAmongPodsOfOnePriority) {
  NodeWorld world = full_node();
  named(world, "c").labels["app"] = "x";
  world.budgets.ours = {{.ns = "default",
                         .name = "x",
                         .selector = LabelSelector{.match_labels = {{"app", "x"}}},
                         .max_unavailable = IntOrPercent{0}}};
  EXPECT_THAT(victims(world, "web"), UnorderedElementsAre("b")) << "of its priority";
  for (const char* name : {"a", "b"}) named(world, name).priority = *named(world, "c").priority + 1;
  const ResizePreemption got = plan(world, "web");
  ASSERT_THAT(victims_of(got), UnorderedElementsAre("c"));
  EXPECT_EQ(got.budget_violations, 1);
  EXPECT_THAT(got.victims[0].why, HasSubstr("its disruption budget is not hard"));
}

TEST(ResizePreemption, ABudgetIsAPreferenceAndItsBreachIsCounted) {
  NodeWorld world = full_node();
  for (const char* name : {"a", "b", "c"}) named(world, name).labels["app"] = "x";
  world.budgets.upstream = {budget_for("x", 0)};
  const ResizePreemption got = plan(world, "web");
  ASSERT_THAT(victims_of(got), UnorderedElementsAre("c"));
  EXPECT_TRUE(got.victims[0].violates_budget);
  EXPECT_EQ(got.budget_violations, 1);
}

TEST(ResizePreemption, AmongThePodsOfOneBudgetTheLessImportantGoesUnlikeUpstream) {
  NodeWorld world = full_node();
  named(world, "a").priority = 2000;
  named(world, "b").labels["app"] = named(world, "c").labels["app"] = "x";
  world.budgets.upstream = {budget_for("x", 1)};
  EXPECT_THAT(victims(world, "web"), UnorderedElementsAre("c"));
  world.rules = RuleSet::Upstream;
  EXPECT_THAT(victims(world, "web"), UnorderedElementsAre("b"));
}

TEST(ResizePreemption, AHardBudgetKeepsPodsBeyondWhatItAllows) {
  NodeWorld world = full_node();
  for (const char* name : {"a", "b", "c"}) named(world, name).labels["app"] = "x";
  DisruptionBudget hard;
  hard.ns = "default";
  hard.name = "hard";
  hard.selector = LabelSelector{.match_labels = {{"app", "x"}}, .expressions = {}};
  hard.rate_disruptions = 1;
  hard.rate_per = std::chrono::hours{1};
  hard.hard = true;
  world.budgets.ours = {hard};
  EXPECT_THAT(victims(world, "web"), UnorderedElementsAre("c"));
  named(world, "web").containers[0].desired.requests = figures(3000);
  const ResizePreemption got = plan(world, "web");
  EXPECT_EQ(got.outcome, Outcome::NoVictims);
  EXPECT_EQ(why_considered(got, "a"), "hard disruption budget default/hard allows no more");
  EXPECT_EQ(why_considered(got, "c"), "stays: removing it would not help");
  world.rules = RuleSet::Upstream;
  EXPECT_EQ(plan(world, "web").outcome, Outcome::Preempt);
}

TEST(ResizePreemption, AHundredVictimsHaveAReasonEach) {
  const auto last_reason = [](int pods) {
    NodeWorld world = world_of(pods * 10);
    world.pods = {deferred_to(pod_of_size("web", 100, figures(10)), figures(pods * 10))};
    for (int i = 1; i < pods; ++i) {
      world.pods.push_back(pod_of_size("p" + std::to_string(i), 0, figures(10), i));
    }
    const ResizePreemption got = plan(world, "web");
    return got.victims.empty() ? std::string() : got.victims.back().why;
  };
  EXPECT_THAT(last_reason(101), HasSubstr("lowest priority"));
  EXPECT_THAT(last_reason(102), HasSubstr("one of 101"));
}

// ---- critical pods ----

NodeWorld critical_node() {
  NodeWorld world = full_node();
  named(world, "web").priority = 2'000'000'000;
  world.critical_by_node = true;
  return world;
}

TEST(CriticalResize, TheNodeMakesRoomOnlyWhereItSaysSo) {
  NodeWorld world = critical_node();
  EXPECT_EQ(plan(world, "web").by, RoomMaker::Node);
  world.critical_by_node = false;
  EXPECT_EQ(plan(world, "web").by, RoomMaker::Scheduler);
  world.critical_by_node = true;
  named(world, "web").priority = 1'999'999'999;
  EXPECT_EQ(plan(world, "web").by, RoomMaker::Scheduler);
}

TEST(CriticalResize, ForTheNodeAMemberOfAGroupIsAPodLikeOthers) {
  NodeWorld world = critical_node();
  const std::set<std::string> alone = victims(world, "web");
  ASSERT_EQ(alone.size(), 1U);
  for (Pod& each : world.pods) {
    if (each.name == "web") continue;
    each.scheduling_group = "g";
    each.group = {.uid = "g", .priority = 0, .mode = DisruptionMode::All};
  }
  EXPECT_EQ(victims(world, "web"), alone);
}

TEST(CriticalResize, TheSmallestPodThatIsEnoughGoesWhateverItsPriority) {
  NodeWorld world = critical_node();
  world.node.allocatable = figures(6000);
  named(world, "a").containers[0].allocated_requests = figures(3000);
  named(world, "b").priority = 1'000'000;
  named(world, "c").containers[0].allocated_requests = figures(900);
  named(world, "c").containers[0].actual_requests = figures(900);
  named(world, "c").containers[0].desired.requests = figures(900);
  named(world, "a").containers[0].actual_requests = figures(3100);
  named(world, "a").containers[0].desired.requests = figures(3100);
  named(world, "a").containers[0].allocated_requests = figures(3100);
  const ResizePreemption got = plan(world, "web");
  EXPECT_THAT(victims_of(got), UnorderedElementsAre("b"));
  EXPECT_THAT(got.victims[0].why, HasSubstr("comes nearest to what is lacking"));
}

TEST(CriticalResize, ThePolicyAndRoomOnItsWayHoldForItToo) {
  NodeWorld world = critical_node();
  named(world, "a") = terminating(named(world, "a"), 10);
  EXPECT_EQ(plan(world, "web").outcome, Outcome::AwaitingVictims);
  named(world, "web").preemption_policy = PreemptionPolicy::Never;
  EXPECT_EQ(plan(world, "web").outcome, Outcome::PolicyNever);
  world.node.resize_preemption_owners = {"owner"};
  EXPECT_EQ(plan(world, "web").outcome, Outcome::Disabled);
  EXPECT_EQ(plan(world, "web").by, RoomMaker::Node);
}

TEST(CriticalResize, OnlyWhatIsStillLackingIsTaken) {
  NodeWorld world = critical_node();
  named(world, "web").containers[0].desired.requests = figures(3000);
  named(world, "a") = terminating(named(world, "a"), 10);
  EXPECT_THAT(victims(world, "web"), UnorderedElementsAre("c"));
}

// ---- rare cases ----

TEST(ResizePreemption, WhoCannotGoForAnotherReasonIsPlannedAround) {
  const NodeWorld world = full_node();
  const ResizePreemption before = plan(world, "web");
  ASSERT_FALSE(before.victims.empty());
  const Pod& first = *before.victims.front().pod;
  const Unremovable unremovable = {{first.uid, "the API server refused its removal: no"}};
  const ResizePreemption got = plan_resize_preemption({.node = world.node,
                                                       .pods = world.pods,
                                                       .nominated = world.nominated,
                                                       .budgets = world.budgets,
                                                       .lapsed = {},
                                                       .now = kNoon,
                                                       .unremovable = &unremovable},
                                                      "web");
  EXPECT_FALSE(victims_of(got).contains(first.name));
  EXPECT_EQ(why_considered(got, first.name), "the API server refused its removal: no");
}

TEST(ResizePreemption, AnUnknownPodNeedsNothing) {
  const NodeWorld world = full_node();
  EXPECT_EQ(plan(world, "nobody").outcome, Outcome::NotNeeded);
  EXPECT_THAT(plan(world, "nobody").considered, IsEmpty());
}

}  // namespace
}  // namespace elbowroom::policy
