#include "scheduler/reactor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policy/model/removal_mark.h"
#include "test/led_reactor.h"
#include "test/scheduler_world.h"

namespace elbowroom::scheduler {
namespace {

using policy::Pod;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using test::deferred;
using test::LedReactor;
using test::running_pod;
using test::SchedulerWorld;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

ReactorOptions leading() {
  ReactorOptions options = SchedulerWorld::usual();
  options.leader_elect = true;
  options.elector.identity = "one";
  return options;
}

// A node of 4 cpu: web (priority 100) has 1 and wants 2; batch-1 (10) and batch-2 (5) have the
// rest.
void fill(SchedulerWorld& world) {
  world.put(test::node(4000));
  world.put(deferred(running_pod("web", 1000, 0, 100), 2000));
  world.put(running_pod("batch-1", 2000, 0, 10));
  world.put(running_pod("batch-2", 1000, 0, 5));
}

SchedulerWorld::Refusal says_no_to(std::string to) {
  return [to](const std::string& effect) -> std::optional<Error> {
    if (effect != to) return std::nullopt;
    return Error{Code::Denied, "a webhook says no", {}};
  };
}

TEST(SchedulerReactor, MakesRoomOnce) {
  SchedulerWorld world;
  fill(world);
  world.start();
  EXPECT_THAT(world.done(),
              ElementsAre("mark default/batch-2", "confirm default/web",
                          "event default/web: Preempting: Removing default/batch-2 makes room for "
                          "the resize, expected by 2026-05-28T20:27:10Z",
                          "delete default/batch-2",
                          HasSubstr("event default/batch-2: Preempted: Preempted by pod uid-web")));
  world.pass(seconds(29));
  EXPECT_THAT(world.done(), IsEmpty());
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::Awaits);
  world.remove("default/batch-2");
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::Fits);
  EXPECT_THAT(world.done(), IsEmpty());
}

TEST(SchedulerReactor, TheMarkNamesTheResize) {
  SchedulerWorld world;
  fill(world);
  world.start();
  const auto mark = policy::removal_mark(world.pod("default/batch-2"));
  EXPECT_EQ(mark, (policy::RemovalMark{"uid-web", 2}));
}

TEST(SchedulerReactor, DoesNothingBeforeEverythingIsListed) {
  SchedulerWorld world;
  fill(world);
  world.tell(NodesListed{{test::node(4000)}});
  EXPECT_EQ(world.reactor().idle_because(),
            "nodes, pods, budgets and pod groups are not all listed yet");
  EXPECT_THAT(world.done(), IsEmpty());
}

TEST(SchedulerReactor, DoesNothingWhileSomethingIsNotFollowed) {
  SchedulerWorld world;
  world.put(test::node(4000));
  world.start();
  world.tell(Lost{Collection::Budgets, "connection refused"});
  fill(world);
  EXPECT_THAT(world.done(), IsEmpty());
  EXPECT_EQ(world.reactor().idle_because(),
            "pod disruption budgets are not followed: connection refused");
  world.tell(Back{Collection::Budgets});
  EXPECT_THAT(world.writes(), ElementsAre("mark default/batch-2", "delete default/batch-2"));
}

TEST(SchedulerReactor, ASetIsMarkedAndCheckedBeforeTheFirstDelete) {
  SchedulerWorld world;
  world.put(test::node(4000));
  world.put(deferred(running_pod("web", 1000, 0, 100), 4000));
  world.put(running_pod("a", 2000, 0, 10));
  world.put(running_pod("b", 1000, 0, 5));
  world.start();
  EXPECT_THAT(world.writes(),
              ElementsAre("mark default/a", "mark default/b", "check default/a", "check default/b",
                          "delete default/a", "delete default/b"));
}

TEST(SchedulerReactor, OneRefusalAndNobodyGoes) {
  SchedulerWorld world;
  world.put(test::node(4000));
  world.put(deferred(running_pod("web", 1000, 0, 100), 4000));
  world.put(running_pod("a", 2000, 0, 10));
  world.put(running_pod("b", 1000, 0, 5));
  world.refuse = says_no_to("check default/b");
  world.start();
  EXPECT_THAT(world.writes(),
              UnorderedElementsAre("mark default/a", "mark default/b", "check default/a",
                                   "check default/b", "clear default/a", "clear default/b"));
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::Refused);
  EXPECT_EQ(world.waiting("default/web").message, "nobody was removed: a webhook says no");
  world.pass(seconds(59));
  EXPECT_THAT(world.writes(), IsEmpty());
  world.refuse = nullptr;
  world.pass(milliseconds(1250));
  EXPECT_EQ(world.writes().size(), 6);
}

TEST(SchedulerReactor, ARefusedDeleteOfAllIsTakenBackAndTold) {
  SchedulerWorld world;
  fill(world);
  world.refuse = says_no_to("delete default/batch-2");
  world.start();
  EXPECT_THAT(world.writes(), ElementsAre("mark default/batch-2", "delete default/batch-2",
                                          "clear default/batch-2"));
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::Refused);
  EXPECT_EQ(world.waiting("default/web").message, "nobody was removed: a webhook says no");
  EXPECT_EQ(world.reactor().counts().victims, 0);
}

// ---- refused victims ----

TEST(SchedulerRefusal, SomebodyElseGoes) {
  SchedulerWorld world;
  fill(world);
  world.refuse = says_no_to("delete default/batch-2");
  world.start();
  static_cast<void>(world.done());
  world.pass(milliseconds(999));
  EXPECT_THAT(world.writes(), IsEmpty());
  world.pass(milliseconds(1));
  EXPECT_THAT(world.writes(), ElementsAre("mark default/batch-1", "delete default/batch-1"));
}

TEST(SchedulerRefusal, WhereNobodyElseCanGoItIsAskedLessAndLessOften) {
  SchedulerWorld world;
  world.put(test::node(4000));
  world.put(deferred(running_pod("web", 1000, 0, 100), 2000));
  world.put(running_pod("batch", 3000, 0, 10));
  world.refuse = says_no_to("delete default/batch");
  world.start();
  EXPECT_THAT(world.writes(),
              ElementsAre("mark default/batch", "delete default/batch", "clear default/batch"));
  for (const auto wait :
       {minutes(1), minutes(2), minutes(4), minutes(8), minutes(16), minutes(30), minutes(30)}) {
    world.pass(wait - milliseconds(1));
    EXPECT_THAT(world.writes(), IsEmpty());
    EXPECT_EQ(world.waiting("default/web").result, TurnResult::NoVictims);
    EXPECT_EQ(world.waiting("default/web").message,
              "no pod on node node-1 may be removed: 1 cpu would be lacking still; the API server "
              "refused to remove default/batch: a webhook says no");
    world.pass(milliseconds(1));
    EXPECT_EQ(world.writes().size(), 3) << wait.count();
  }
  EXPECT_EQ(world.reactor().counts().useful_flushes, 0);
}

TEST(SchedulerRefusal, AnotherObjectIsAskedAtOnce) {
  SchedulerWorld world;
  world.put(test::node(4000));
  world.put(deferred(running_pod("web", 1000, 0, 100), 2000));
  world.put(running_pod("batch", 3000, 0, 10));
  world.refuse = says_no_to("delete default/batch");
  world.start();
  world.pass(seconds(5));
  static_cast<void>(world.done());
  world.refuse = nullptr;
  Pod batch = world.pod("default/batch");
  batch.labels["protected"] = "no";
  world.put(batch);
  EXPECT_THAT(world.writes(), ElementsAre("mark default/batch", "delete default/batch"));
}

TEST(SchedulerRefusal, OfASetThatHasBegunTheOneThatStaysLosesItsMark) {
  SchedulerWorld world;
  world.put(test::node(4000));
  world.put(deferred(running_pod("web", 1000, 0, 100), 4000));
  world.put(running_pod("a", 2000, 0, 10));
  world.put(running_pod("b", 1000, 0, 5));
  world.refuse = says_no_to("delete default/b");
  world.start();
  EXPECT_THAT(world.writes(),
              ElementsAre("mark default/a", "mark default/b", "check default/a", "check default/b",
                          "delete default/a", "delete default/b", "clear default/b"));
  world.pass(seconds(29));
  EXPECT_THAT(world.writes(), IsEmpty());
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::NoVictims);
}

TEST(SchedulerRefusal, WhereTheResizeItselfIsNotShownMarksAreMadeLessAndLessOften) {
  SchedulerWorld world;
  fill(world);
  world.refuse = says_no_to("confirm default/web");
  world.start();
  EXPECT_THAT(world.writes(), ElementsAre("mark default/batch-2", "clear default/batch-2"));
  for (const auto wait : {minutes(1), minutes(2), minutes(4)}) {
    world.pass(wait - milliseconds(1));
    EXPECT_THAT(world.writes(), IsEmpty());
    EXPECT_EQ(world.waiting("default/web").result, TurnResult::Refused);
    world.pass(milliseconds(1));
    EXPECT_EQ(world.writes().size(), 2);
  }
}

TEST(SchedulerReactor, WhatContradictsItselfIsTold) {
  SchedulerWorld world;
  fill(world);
  world.put(running_pod("twin", 0, 0, 1));
  Pod other = running_pod("other", 0, 0, 1);
  other.uid = running_pod("twin", 0, 0, 1).uid;
  world.put(other);
  world.start();
  EXPECT_THAT(world.done(), ElementsAre(HasSubstr("nobody is removed on node")));
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::Unclear);
}

// ---- our own budgets ----

policy::DisruptionBudget hard_budget() {
  policy::DisruptionBudget budget;
  budget.ns = "default";
  budget.name = "batch";
  budget.selector = policy::LabelSelector{.match_labels = {{"app", "batch"}}, .expressions = {}};
  budget.hard = true;
  return budget;
}

Pod batch(const std::string& name, const std::string& node = "node-1") {
  Pod pod = running_pod(name, node == "node-1" ? 3000 : 100);
  pod.node = node;
  pod.labels["app"] = "batch";
  pod.conditions.push_back(
      {.type = std::string(policy::kReady), .status = "True", .reason = "", .message = ""});
  return pod;
}

// A pod that may not be removed, unless another pod of its budget is ready elsewhere.
TEST(SchedulerReactor, AHardBudgetIsKeptAndWakesWhenItAllowsMore) {
  SchedulerWorld world;
  world.put(test::node(4000));
  world.put(deferred(running_pod("web", 1000, 0, 100), 2000));
  world.put(batch("batch-1"));
  policy::DisruptionBudget budget = hard_budget();
  budget.min_available = policy::IntOrPercent{1, false};
  world.put(budget);
  world.start();
  EXPECT_THAT(world.writes(), IsEmpty());
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::NoVictims);
  const auto turns = [&] {
    return world.reactor().counts().turns[static_cast<std::size_t>(TurnResult::NoVictims)];
  };
  const std::uint64_t before = turns();
  Pod other = batch("batch-2", "node-2");
  other.conditions.back().status = "False";
  world.put(other);
  other.conditions.back().status = "True";
  EXPECT_THAT(world.writes(), IsEmpty());
  EXPECT_GT(turns(), before);
  world.put(other);
  EXPECT_THAT(world.writes(), ElementsAre("mark default/batch-1", "debit default/batch: batch-1",
                                          "delete default/batch-1"));
}

TEST(SchedulerReactor, AHardBudgetsRateIsWaitedFor) {
  SchedulerWorld world;
  world.put(test::node(4000));
  world.put(deferred(running_pod("web", 1000, 0, 100), 2000));
  world.put(batch("batch-1"));
  policy::DisruptionBudget budget = hard_budget();
  budget.rate_disruptions = 1;
  budget.rate_per = minutes(10);
  budget.recent = {{"gone", "uid-gone", world.wall() - minutes(8)}};
  world.put(budget);
  world.start();
  world.pass(seconds(119));
  EXPECT_THAT(world.writes(), IsEmpty());
  world.pass(seconds(2));
  EXPECT_THAT(world.writes(), ElementsAre("mark default/batch-1", "debit default/batch: batch-1",
                                          "delete default/batch-1"));
  EXPECT_EQ(world.reactor().counts().useful_flushes, 0);
}

// Neither other writers' removals nor our own are forgotten because our wall clock jumps.
TEST(SchedulerReactor, AHardBudgetsRateOutlastsAJumpOfTheClock) {
  for (const auto jump : {milliseconds(minutes(60)), -milliseconds(minutes(60))}) {
    SchedulerWorld world;
    world.put(test::node(4000));
    world.put(deferred(running_pod("web", 1000, 0, 100), 2000));
    world.put(batch("batch-1"));
    policy::DisruptionBudget budget = hard_budget();
    budget.rate_disruptions = 2;
    budget.rate_per = minutes(10);
    budget.recent = {{"gone", "uid-gone", world.wall() - minutes(1)}};
    world.put(budget);
    world.start();
    EXPECT_THAT(world.writes(),
                ElementsAre("mark default/batch-1", "debit default/batch: gone batch-1",
                            "delete default/batch-1"));
    world.remove("default/batch-1");
    world.remove("default/web");
    world.wall_off = jump;
    world.put(deferred(running_pod("api", 1000, 0, 100), 2000));
    world.put(batch("batch-2"));
    world.pass(minutes(9) - seconds(1));
    EXPECT_THAT(world.writes(), IsEmpty());
    world.pass(seconds(2));
    EXPECT_THAT(world.writes(),
                ElementsAre("mark default/batch-2", "debit default/batch: batch-1 batch-2",
                            "delete default/batch-2"));
  }
}

TEST(SchedulerReactor, AHardBudgetsRateGoesByTheServersClock) {
  SchedulerWorld world;
  world.wall_off = minutes(60);  // from the start
  world.put(test::node(4000));
  world.put(deferred(running_pod("web", 1000, 0, 100), 2000));
  world.put(batch("batch-1"));
  policy::DisruptionBudget budget = hard_budget();
  budget.rate_disruptions = 1;
  budget.rate_per = minutes(10);
  budget.recent = {{"gone", "uid-gone", world.wall() - minutes(8)}};
  world.put(budget);
  world.tell(ServerDated{world.wall()});
  world.start();
  world.pass(seconds(119));
  EXPECT_THAT(world.writes(), IsEmpty());
  // The server's was put right meanwhile.
  world.tell(ServerDated{world.wall() + minutes(1)});
  EXPECT_THAT(world.writes(), ElementsAre("mark default/batch-1", "debit default/batch: batch-1",
                                          "delete default/batch-1"));
}

// What we removed counts at once, and as long as the budget's rate says.
TEST(SchedulerReactor, WhatWentIsDebitedFromTheRate) {
  SchedulerWorld world;
  world.put(test::node(4000));
  world.put(deferred(running_pod("web", 1000, 0, 100), 2000));
  world.put(batch("batch-1"));
  policy::DisruptionBudget budget = hard_budget();
  budget.rate_disruptions = 1;
  budget.rate_per = minutes(10);
  world.put(budget);
  world.start();
  EXPECT_THAT(world.writes(), ElementsAre("mark default/batch-1", "debit default/batch: batch-1",
                                          "delete default/batch-1"));
  world.remove("default/batch-1");
  Pod next = batch("batch-3", "node-2");
  next.containers = batch("any").containers;
  Pod api = deferred(running_pod("api", 1000, 0, 100), 2000);
  api.node = "node-2";
  world.put(test::node(4000, test::kGi, "node-2"));
  world.put(next);
  world.put(api);
  EXPECT_THAT(world.writes(), IsEmpty());
  EXPECT_EQ(world.waiting("default/api").result, TurnResult::NoVictims);
  world.pass(minutes(10) - seconds(1));
  EXPECT_THAT(world.writes(), IsEmpty());
  world.pass(seconds(2));
  EXPECT_THAT(world.writes(), ElementsAre("mark default/batch-3", "debit default/batch: batch-3",
                                          "delete default/batch-3"));
}

TEST(SchedulerReactor, ABudgetThatWasNeverUnderstoodMayForbidAll) {
  SchedulerWorld world;
  world.put(test::node(4000));
  world.start();
  world.tell(Unreadable{.kind = "DisruptionBudget", .key = "default/odd", .why = "spec.rate"});
  fill(world);
  EXPECT_THAT(world.writes(), IsEmpty());
  world.tell(OwnBudgetGone{"default/odd", ""});
  EXPECT_THAT(world.writes(), ElementsAre("mark default/batch-2", "delete default/batch-2"));
}

// Its last known state may allow more than it does now.
TEST(SchedulerReactor, ABudgetThatIsNotUnderstoodAnyMoreForbidsAll) {
  SchedulerWorld world;
  policy::DisruptionBudget budget = hard_budget();
  budget.max_unavailable = policy::IntOrPercent{100, true};
  world.put(budget);
  world.put(test::node(4000));
  world.start();
  world.tell(Unreadable{.kind = "DisruptionBudget", .key = "default/batch", .why = "spec.rate"});
  fill(world);
  EXPECT_THAT(world.writes(), IsEmpty());
  world.put(budget);
  EXPECT_THAT(world.writes(), ElementsAre("mark default/batch-2", "delete default/batch-2"));
}

// It covers every pod that it may cover, and others are removed first; when no other pod helps, it
// is a preference.
TEST(SchedulerReactor, APodDisruptionBudgetThatIsNotUnderstoodAllowsNothing) {
  for (const bool was_understood : {false, true}) {
    SchedulerWorld world;
    if (was_understood) {
      world.put(policy::PodDisruptionBudget{.ns = "default",
                                            .name = "odd",
                                            .selector = policy::LabelSelector{},
                                            .disruptions_allowed = 5});
    }
    fill(world);
    world.start();
    world.tell(
        Unreadable{.kind = "PodDisruptionBudget", .key = "default/odd", .why = "spec.selector"});
    const auto view = world.reactor().snapshot().view("node-1");
    ASSERT_TRUE(view);
    ASSERT_EQ(view->budgets.upstream.size(), 1U);
    EXPECT_EQ(view->budgets.upstream[0].disruptions_allowed, 0);
    EXPECT_EQ(view->budgets.upstream[0].selector, policy::LabelSelector{});
  }
}

TEST(SchedulerReactor, OthersGoBeforeThoseWhomABudgetThatIsNotUnderstoodMayCover) {
  SchedulerWorld world;
  world.put(test::node(4000));
  world.put(deferred(running_pod("web", 1000, 0, 100), 2000));
  world.put(running_pod("batch", 1000, 0, 5));
  Pod elsewhere = running_pod("elsewhere", 2000, 0, 20);
  elsewhere.ns = "other";
  world.put(elsewhere);
  world.tell(
      Unreadable{.kind = "PodDisruptionBudget", .key = "default/odd", .why = "spec.selector"});
  world.start();
  // The list no longer has it.
  EXPECT_THAT(world.writes(), ElementsAre("mark default/batch", "delete default/batch"));

  SchedulerWorld with;
  with.put(test::node(4000));
  with.start();
  with.tell(
      Unreadable{.kind = "PodDisruptionBudget", .key = "default/odd", .why = "spec.selector"});
  with.put(running_pod("batch", 1000, 0, 5));
  with.put(elsewhere);
  with.put(deferred(running_pod("web", 1000, 0, 100), 2000));
  EXPECT_THAT(with.writes(), ElementsAre("mark other/elsewhere", "delete other/elsewhere"));
}

Unreadable odd_pod(const std::string& node = "node-1") {
  return {.kind = "Pod",
          .key = "default/odd",
          .why = "cpu: not a quantity",
          .uid = "uid-odd",
          .node = node};
}

TEST(SchedulerReactor, NobodyGoesWhereAPodWasNeverUnderstood) {
  SchedulerWorld world;
  world.tell(odd_pod());
  fill(world);
  world.start();  // the list no longer has the pod: its node is clear
  EXPECT_THAT(world.writes(), ElementsAre("mark default/batch-2", "delete default/batch-2"));

  SchedulerWorld other;
  other.put(test::node(4000));
  other.start();
  other.tell(odd_pod());
  fill(other);
  EXPECT_THAT(other.done(),
              ElementsAre("event default/web: FailedScheduling: No room is made for the resize: "
                          "nobody is removed on node node-1: what its pods hold is not clear"));
  EXPECT_EQ(other.waiting("default/web").result, TurnResult::Unclear);
  // Observed again for the same reason: nothing new. Then the pod is on another node, and this one
  // is clear.
  other.tell(odd_pod());
  EXPECT_THAT(other.done(), IsEmpty());
  other.tell(odd_pod("node-2"));
  EXPECT_THAT(other.writes(), ElementsAre("mark default/batch-2", "delete default/batch-2"));
}

TEST(SchedulerReactor, APodThatIsUnderstoodAtLastOrGoneCuresItsNode) {
  for (const bool is_gone : {true, false}) {
    SchedulerWorld world;
    world.put(test::node(4000));
    world.start();
    world.tell(odd_pod());
    fill(world);
    EXPECT_THAT(world.writes(), IsEmpty());
    if (is_gone) {
      world.tell(PodGone{"default/odd", "uid-odd"});
    } else {
      world.put(running_pod("odd", 0, 0, 1));
    }
    EXPECT_THAT(world.writes(), ElementsAre("mark default/batch-2", "delete default/batch-2"));
    EXPECT_EQ(world.reactor().snapshot().unreadable(), 0);
  }
}

TEST(SchedulerReactor, WhatWasKnownOfAPodStandsUntilAnotherOneHasItsName) {
  SchedulerWorld world;
  world.put(test::node(4000));
  world.put(running_pod("odd", 500));
  world.start();
  world.tell(odd_pod());
  EXPECT_EQ(world.reactor().snapshot().view("node-1")->contradiction, "");
  Unreadable next = odd_pod();
  next.uid = "uid-next";
  world.tell(next);
  EXPECT_THAT(world.reactor().snapshot().view("node-1")->pods, IsEmpty());
  EXPECT_THAT(world.reactor().snapshot().view("node-1")->contradiction,
              HasSubstr("pod default/odd cannot be understood"));
}

TEST(SchedulerReactor, ADeleteThatFailedIsTriedAgainForTheSamePod) {
  SchedulerWorld world;
  fill(world);
  world.refuse = [](const std::string& effect) -> std::optional<Error> {
    if (effect != "delete default/batch-2") return std::nullopt;
    return Error{Code::Unavailable, "timed out", {}};
  };
  world.start();
  EXPECT_THAT(world.writes(), ElementsAre("mark default/batch-2", "delete default/batch-2"));
  // A less important pod appears: the marked one is removed all the same.
  world.put(running_pod("tiny", 0, 0, 1));
  world.refuse = nullptr;
  world.pass(milliseconds(1250));
  EXPECT_THAT(world.writes(), ElementsAre("delete default/batch-2"));
  EXPECT_EQ(world.reactor().counts().victims, 1);
}

std::vector<std::string> told_victims(SchedulerWorld& world) {
  std::vector<std::string> told = world.done();
  std::erase_if(told, [](const auto& each) { return !each.contains(": Preempted: "); });
  return told;
}

const std::string kOwnersEvent =
    "event default/batch-2: Preempted: Preempted by pod uid-web on node node-1: its resize was "
    "Deferred";

TEST(SchedulerReactor, AVictimWhoseDeletesAnswerWasLostGetsItsEventOnceItIsSeenTerminating) {
  SchedulerWorld world;
  fill(world);
  world.refuse = [](const std::string& effect) -> std::optional<Error> {
    if (effect != "delete default/batch-2") return std::nullopt;
    return Error{Code::Unavailable, "the connection was cut", {}};
  };
  world.start();
  EXPECT_THAT(told_victims(world), IsEmpty());
  // The API server had carried it out.
  policy::Pod victim = world.pod("default/batch-2");
  victim.deletion = world.wall() + seconds(30);
  victim.deletion_grace_seconds = 30;
  world.put(victim);
  EXPECT_THAT(told_victims(world), ElementsAre(kOwnersEvent));
  EXPECT_EQ(world.reactor().counts().victims, 1);
  world.remove("default/batch-2");
  EXPECT_THAT(told_victims(world), IsEmpty());
}

TEST(SchedulerReactor, AVictimWhoseDeletesAnswerWasLostGetsItsEventWhenItIsGone) {
  SchedulerWorld world;
  fill(world);
  world.refuse = [](const std::string& effect) -> std::optional<Error> {
    if (effect != "delete default/batch-2") return std::nullopt;
    return Error{Code::Unavailable, "504: timed out", {}};
  };
  world.start();
  world.remove("default/batch-2");
  EXPECT_THAT(told_victims(world), ElementsAre(kOwnersEvent));
}

// We did not remove it.
TEST(SchedulerReactor, AVictimWhoseNameIsAnotherPodsGetsNoEvent) {
  SchedulerWorld world;
  fill(world);
  world.refuse = [](const std::string& effect) -> std::optional<Error> {
    if (effect != "delete default/batch-2") return std::nullopt;
    return Error{Code::Conflict, "the uid in the precondition is another", {}};
  };
  world.start();
  world.remove("default/batch-2");
  EXPECT_THAT(told_victims(world), IsEmpty());
  EXPECT_EQ(world.reactor().counts().victims, 0);
}

TEST(SchedulerReactor, AVictimWhoseMarkWasTakenBackGetsNoEventWhenItEnds) {
  SchedulerWorld world;
  fill(world);
  world.refuse = [](const std::string& effect) -> std::optional<Error> {
    if (effect != "delete default/batch-2") return std::nullopt;
    return Error{Code::Unavailable, "429: too many requests", {}};
  };
  world.start();
  policy::Pod victim = world.pod("default/batch-2");
  victim.conditions.clear();
  world.put(victim);
  world.remove("default/batch-2");
  EXPECT_THAT(told_victims(world), IsEmpty());
}

TEST(SchedulerReactor, ASecondDeleteThatFindsTheVictimGoneWritesItsEvent) {
  SchedulerWorld world;
  fill(world);
  int tries = 0;
  world.refuse = [&](const std::string& effect) -> std::optional<Error> {
    if (effect != "delete default/batch-2") return std::nullopt;
    if (tries++ == 0) return Error{Code::Unavailable, "timed out", {}};
    return Error{Code::NotFound, "pods \"batch-2\" not found", {}};
  };
  world.start();
  world.lags = true;
  world.pass(milliseconds(1250));
  EXPECT_EQ(tries, 2);
  EXPECT_THAT(told_victims(world), ElementsAre(kOwnersEvent));
  world.catch_up();
  world.remove("default/batch-2");
  EXPECT_THAT(told_victims(world), IsEmpty());
}

TEST(SchedulerReactor, AVictimThatAnotherProgramDeletedGetsNoEventOfOurs) {
  SchedulerWorld world;
  fill(world);
  world.refuse = [](const std::string& effect) -> std::optional<Error> {
    if (effect != "delete default/batch-2") return std::nullopt;
    return Error{Code::NotFound, "pods \"batch-2\" not found", {}};
  };
  world.start();
  world.remove("default/batch-2");
  EXPECT_THAT(told_victims(world), IsEmpty());
}

TEST(SchedulerReactor, ALeaderWritesTheEventsOfVictimsThatItFindsTerminating) {
  SchedulerWorld world;
  fill(world);
  world.start();
  EXPECT_THAT(told_victims(world), ElementsAre(kOwnersEvent));
  world.restart();  // whether it was written is not known
  world.start();
  EXPECT_THAT(told_victims(world), ElementsAre(kOwnersEvent));
  world.pass(seconds(5));
  EXPECT_THAT(told_victims(world), IsEmpty());
}

TEST(SchedulerReactor, AnErrorOfTheServersIsTriedAgainSoon) {
  SchedulerWorld world;
  fill(world);
  world.refuse = [](const std::string& effect) -> std::optional<Error> {
    if (!effect.starts_with("mark ")) return std::nullopt;
    return Error{Code::Unavailable, "timed out", {}};
  };
  world.start();
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::Failed);
  world.refuse = nullptr;
  static_cast<void>(world.done());
  world.pass(milliseconds(1250));
  EXPECT_THAT(world.writes(), ElementsAre("mark default/batch-2", "delete default/batch-2"));
}

TEST(SchedulerReactor, AServerThatWishesToBeLeftAloneIs) {
  SchedulerWorld world;
  fill(world);
  world.refuse = [](const std::string& effect) -> std::optional<Error> {
    if (!effect.starts_with("mark ")) return std::nullopt;
    return Error{Code::Unavailable, "429: too many requests", seconds(7)};
  };
  world.start();
  static_cast<void>(world.done());
  world.refuse = nullptr;
  world.pass(milliseconds(6'999));
  EXPECT_THAT(world.writes(), IsEmpty());
  world.pass(milliseconds(1'751));
  EXPECT_THAT(world.writes(), ElementsAre("mark default/batch-2", "delete default/batch-2"));
}

TEST(SchedulerReactor, ByUpstreamsRulesNobodyIsAskedTwice) {
  ReactorOptions options = SchedulerWorld::usual();
  options.rules = policy::RuleSet::Upstream;
  SchedulerWorld world(options);
  fill(world);
  world.start();
  const auto writes = world.writes();
  ASSERT_FALSE(writes.empty());
  world.put(running_pod("neighbour", 0));
  world.pass(seconds(20));
  EXPECT_THAT(world.writes(), IsEmpty());
  policy::Node node = test::node(4000);
  node.ready = policy::NodeReady::False;
  world.put(node);
  world.put(running_pod("more", 1000, 0, 1));
  EXPECT_THAT(world.writes(), IsEmpty());
}

TEST(SchedulerReactor, AnEndlessGraceIsNoOverflow) {
  SchedulerWorld world;
  fill(world);
  Pod leaving = world.pod("default/batch-2");
  leaving.deletion_grace_seconds = leaving.termination_grace_seconds = 315'360'000;
  leaving.deletion = world.wall() + seconds(315'360'000);
  world.put(leaving);
  world.start();
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::Awaits);
  EXPECT_THAT(world.writes(), IsEmpty());
}

TEST(SchedulerReactor, ASuccessorFinishesTheSetAndTakesNobodyElse) {
  SchedulerWorld world;
  fill(world);
  world.refuse = [](const std::string& effect) -> std::optional<Error> {
    if (!effect.starts_with("delete ")) return std::nullopt;
    return Error{Code::Unavailable, "killed", {}};
  };
  world.start();
  EXPECT_THAT(world.writes(), ElementsAre("mark default/batch-2", "delete default/batch-2"));
  world.restart();
  world.refuse = nullptr;
  // A better victim than the marked one.
  world.put(running_pod("batch-0", 1000, 0, 1));
  world.put(test::node(5000));
  world.start();
  EXPECT_THAT(world.writes(), ElementsAre("delete default/batch-2"));
}

// batch-2 is marked for web by a scheduler that was killed before it could delete it.
void leave_a_mark(SchedulerWorld& world) {
  fill(world);
  world.refuse = [](const std::string& effect) -> std::optional<Error> {
    if (!effect.starts_with("delete ")) return std::nullopt;
    return Error{Code::Unavailable, "killed", {}};
  };
  world.start();
  world.restart();
  world.refuse = nullptr;
  static_cast<void>(world.done());
}

policy::Node with_owner(std::string owner) {
  policy::Node node = test::node(4000);
  node.resize_preemption_owners = {std::move(owner)};
  return node;
}

// The change that arrives in between, after which no pod is removed; nothing: the resize does not
// wait any more.
struct StopsTheSet {
  std::string name{};
  std::function<void(SchedulerWorld&)> comes{};
  std::optional<TurnResult> result{};
};

std::vector<StopsTheSet> what_stops_a_set() {
  const auto web = [](auto change) {
    return [change](SchedulerWorld& world) {
      Pod pod = world.pod("default/web");
      change(pod);
      world.put(pod);
    };
  };
  return {
      {"the resize has ended",
       [](SchedulerWorld& world) { world.put(running_pod("web", 1000, 0, 100)); },
       {}},
      {"another resize, judged",
       web([](Pod& pod) { pod = deferred(running_pod("web", 1000, 0, 5), 2000); }),
       TurnResult::NoVictims},
      {"another resize, not judged yet", web([](Pod& pod) { ++pod.generation; }), {}},
      {"the node's policy", [](SchedulerWorld& world) { world.put(with_owner("ops.dev/no")); },
       TurnResult::Disabled},
      {"a condition of the pod", web([](Pod& pod) {
         pod.conditions.push_back(
             {.type = std::string(policy::kPodResizePreemptionDisabled), .status = "True"});
       }),
       TurnResult::Disabled},
      {"preemptionPolicy Never",
       web([](Pod& pod) { pod.preemption_policy = policy::PreemptionPolicy::Never; }),
       TurnResult::PolicyNever},
      {"it fits by now", [](SchedulerWorld& world) { world.put(test::node(5000)); },
       TurnResult::Fits},
      {"room is on its way",
       [](SchedulerWorld& world) {
         Pod leaves = world.pod("default/batch-1");
         leaves.deletion = world.wall() + seconds(30);
         leaves.deletion_grace_seconds = 30;
         world.put(leaves);
       },
       TurnResult::Awaits},
      {"the node is not ready",
       [](SchedulerWorld& world) {
         policy::Node node = test::node(4000);
         node.ready = policy::NodeReady::False;
         world.put(node);
       },
       TurnResult::NoVictims},
  };
}

TEST(SchedulerReactor, AMarkIsTakenBackWhateverStopsTheSet) {
  for (const StopsTheSet& rule : what_stops_a_set()) {
    SCOPED_TRACE(rule.name);
    SchedulerWorld world;
    leave_a_mark(world);
    rule.comes(world);
    world.start();
    EXPECT_THAT(world.writes(), ElementsAre("clear default/batch-2"));
    EXPECT_FALSE(policy::removal_mark(world.pod("default/batch-2")));
    const auto& waiting = world.reactor().waiting();
    if (!rule.result) {
      EXPECT_TRUE(waiting.empty());
    } else {
      ASSERT_TRUE(waiting.contains("default/web"));
      EXPECT_EQ(world.waiting("default/web").result, rule.result);
    }
  }
}

// The same while the set waits to be tried once more.
TEST(SchedulerReactor, AMarkIsTakenBackWhateverStopsTheSetInItsMiddle) {
  for (const StopsTheSet& rule : what_stops_a_set()) {
    SCOPED_TRACE(rule.name);
    SchedulerWorld world;
    fill(world);
    world.refuse = [](const std::string& effect) -> std::optional<Error> {
      if (!effect.starts_with("delete ")) return std::nullopt;
      return Error{Code::Unavailable, "timed out", {}};
    };
    world.start();
    EXPECT_THAT(world.writes(), ElementsAre("mark default/batch-2", "delete default/batch-2"));
    world.refuse = nullptr;
    rule.comes(world);
    world.pass(milliseconds(1250));
    EXPECT_THAT(world.writes(), ElementsAre("clear default/batch-2"));
  }
}

TEST(SchedulerReactor, AMarkStandsWhileTheSetOnlyWaits) {
  ReactorOptions options = SchedulerWorld::usual();
  options.yield_to->insert("default-scheduler");
  SchedulerWorld world(options);
  fill(world);
  Pod web = world.pod("default/web");
  web.scheduler_name = "default-scheduler";
  world.put(web);
  Pod marked = running_pod("batch-2", 1000, 0, 5);
  marked.conditions.push_back(policy::marking_condition(
      marked, policy::kReasonPreemptionByScheduler, "why", {"uid-web", 2}, world.wall()));
  world.put(marked);
  world.start();
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::Yields);
  EXPECT_THAT(world.writes(), IsEmpty());
  world.pass(seconds(30));
  EXPECT_THAT(world.writes(), ElementsAre("delete default/batch-2"));
}

TEST(SchedulerReactor, TheLastLookSeesThatTheNodeSaysNo) {
  SchedulerWorld world;
  fill(world);
  world.holds_back = true;
  world.start();
  policy::Node node = test::node(4000);
  node.resize_preemption_owners = {"ops.dev/no"};
  world.put(node);
  world.answer();
  EXPECT_THAT(world.writes(), ElementsAre("mark default/batch-2", "clear default/batch-2"));
  world.pass(seconds(2));
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::Disabled);
  node.resize_preemption_owners.clear();
  world.put(node);
  EXPECT_THAT(world.writes(), ElementsAre("mark default/batch-2", "delete default/batch-2"));
}

TEST(SchedulerReactor, NobodyGoesForAResizeThatWasTakenBack) {
  SchedulerWorld world;
  fill(world);
  world.holds_back = true;
  world.start();
  world.put(running_pod("web", 1000, 0, 100));
  world.answer();
  EXPECT_THAT(world.writes(), ElementsAre("mark default/batch-2", "clear default/batch-2"));
  EXPECT_TRUE(world.reactor().waiting().empty());
}

TEST(SchedulerReactor, ItDoesNotYieldToItself) {
  for (const bool is_said : {false, true}) {
    ReactorOptions options = SchedulerWorld::usual();
    options.places_for = {"default-scheduler"};
    options.yield_to.reset();
    if (is_said) options.yield_to = {"default-scheduler"};
    SchedulerWorld world(options);
    fill(world);
    Pod web = world.pod("default/web");
    web.scheduler_name = "default-scheduler";
    world.put(web);
    world.start();
    world.tell(PolicyFieldProbed{true});
    EXPECT_EQ(world.writes().empty(), is_said);
  }
}

TEST(SchedulerReactor, AnotherSchedulerHasTheFirstTurn) {
  ReactorOptions options = SchedulerWorld::usual();
  options.yield_to->insert("default-scheduler");
  SchedulerWorld world(options);
  fill(world);
  Pod web = world.pod("default/web");
  web.scheduler_name = "default-scheduler";
  world.put(web);
  world.start();
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::Yields);
  world.pass(milliseconds(29'999));
  EXPECT_THAT(world.writes(), IsEmpty());
  world.pass(milliseconds(1));
  EXPECT_THAT(world.writes(), ElementsAre("mark default/batch-2", "delete default/batch-2"));
}

// The victims that the other scheduler chooses for a more important pod are not known.
TEST(SchedulerReactor, ASetDoesNotCountOnVictimsThatAnotherSchedulerMayChoose) {
  ReactorOptions options = SchedulerWorld::usual();
  options.yield_to->insert("default-scheduler");
  SchedulerWorld world(options);
  world.put(test::node(4000));
  world.put(deferred(running_pod("web", 500, 0, 100), 1500));
  Pod boss = deferred(running_pod("boss", 500, 0, 1000), 1500);
  boss.scheduler_name = "default-scheduler";
  for (const char* name : {"batch-1", "batch-2", "batch-3"}) {
    world.put(running_pod(name, 1000, 0, 5));
  }
  world.start();
  ASSERT_THAT(world.writes(), testing::SizeIs(2)) << "alone it is made room for at once";
  for (const bool goes : {true, false}) {
    SchedulerWorld both(options);
    both.put(test::node(4000));
    both.put(deferred(running_pod("web", 500, 0, 100), 1500));
    both.put(boss);
    for (const char* name : {"batch-1", "batch-2", "batch-3"}) {
      both.put(running_pod(name, 1000, 0, 5));
    }
    both.start();
    EXPECT_THAT(both.writes(), IsEmpty());
    EXPECT_EQ(both.waiting("default/web").result, TurnResult::Yields);
    EXPECT_EQ(
        both.waiting("default/web").message,
        "pod default/boss comes first, and default-scheduler may make room itself and has the "
        "first turn");
    if (goes) {
      both.remove("default/boss");
      EXPECT_THAT(both.writes(), testing::SizeIs(2));
    } else {
      both.pass(milliseconds(29'999));
      EXPECT_THAT(both.writes(), IsEmpty());
      both.pass(milliseconds(1));
      EXPECT_THAT(both.writes(), testing::SizeIs(4)) << "both turns are ours now";
    }
  }
}

// A user who changes the size again and again does not make the pod wait for ever.
TEST(SchedulerReactor, AnotherSizeMakesNobodyYieldOnceMore) {
  ReactorOptions options = SchedulerWorld::usual();
  options.yield_to->insert("default-scheduler");
  SchedulerWorld world(options);
  fill(world);
  Pod web = world.pod("default/web");
  web.scheduler_name = "default-scheduler";
  world.put(web);
  world.start();
  world.pass(seconds(20));
  web = test::resized(web, 2100);
  world.put(web);
  EXPECT_TRUE(world.reactor().waiting().empty()) << "its node has not judged it yet";
  world.pass(seconds(1));
  web.conditions[0].observed_generation = web.generation;
  world.put(web);
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::Yields);
  world.pass(milliseconds(8'999));
  EXPECT_THAT(world.writes(), IsEmpty());
  world.pass(milliseconds(1));
  EXPECT_THAT(world.writes(), testing::Contains("delete default/batch-1"));
}

TEST(SchedulerReactor, ADeferralThatEndedIsYieldedAnew) {
  ReactorOptions options = SchedulerWorld::usual();
  options.yield_to->insert("default-scheduler");
  SchedulerWorld world(options);
  fill(world);
  Pod web = world.pod("default/web");
  web.scheduler_name = "default-scheduler";
  world.put(web);
  world.start();
  world.pass(seconds(20));
  Pod given_up = web;
  given_up.conditions.clear();
  world.put(given_up);
  world.put(web);
  world.pass(milliseconds(29'999));
  EXPECT_THAT(world.writes(), IsEmpty());
  world.pass(milliseconds(1));
  EXPECT_FALSE(world.writes().empty());
}

// ---- expected times ----

TEST(SchedulerTold, OthersThatMustLeaveTooAreWaitedFor) {
  SchedulerWorld world;
  world.put(test::node(4000));
  world.put(deferred(running_pod("web", 1000, 0, 100), 4000));
  world.put(running_pod("batch-1", 2000, 0, 10));
  Pod leaves = running_pod("batch-2", 1000, 0, 5);
  leaves.deletion = world.wall() + seconds(600);
  leaves.deletion_grace_seconds = 600;
  world.put(leaves);
  world.start();
  EXPECT_THAT(world.done(), testing::Contains("event default/web: Preempting: Removing "
                                              "default/batch-1 makes room for the resize, "
                                              "expected by 2026-05-28T20:36:40Z"));
}

TEST(SchedulerTold, OthersThatNeedNotLeaveAreNot) {
  SchedulerWorld world;
  world.put(test::node(5000));
  world.put(deferred(running_pod("web", 1000, 0, 100), 2000));
  world.put(running_pod("batch-1", 4000, 0, 10));
  Pod leaves = running_pod("batch-2", 0, 0, 5);
  leaves.deletion = world.wall() + seconds(600);
  leaves.deletion_grace_seconds = 600;
  world.put(leaves);
  world.start();
  EXPECT_THAT(world.done(), testing::Contains(HasSubstr("expected by 2026-05-28T20:27:10Z")));
}

TEST(SchedulerTold, AShrinkIsExpectedByWhenItsTimeIsOver) {
  SchedulerWorld world;
  world.put(test::node(4000));
  world.put(deferred(running_pod("web", 1000, 0, 100), 2000));
  Pod shrinks = running_pod("peer", 3000, 0, 100);
  shrinks.containers[0].desired.requests = test::amounts(2000, 0);
  shrinks.containers[0].allocated_requests = test::amounts(2000, 0);
  world.put(shrinks);
  world.start();
  EXPECT_THAT(world.done(),
              ElementsAre("event default/web: Preempting: The resize waits: enough room is on its "
                          "way: default/peer shrinks, expected by 2026-05-28T20:27:40Z"));
}

// The room is free as promised: only where the node does not allocate it is that reported.
TEST(SchedulerTold, WhoWasPromisedRoomIsToldThatItFitsWhereTheNodeSaysNothing) {
  SchedulerWorld world;
  fill(world);
  world.start();
  world.pass(seconds(20));
  static_cast<void>(world.done());
  world.remove("default/batch-2");
  world.pass(milliseconds(9'999));
  EXPECT_THAT(world.done(), IsEmpty());
  world.pass(milliseconds(1));
  EXPECT_THAT(world.done(), ElementsAre(HasSubstr("event default/web: ResizeFits: ")));
  world.pass(seconds(109));
  EXPECT_THAT(world.done(), IsEmpty());
  world.pass(seconds(1));
  EXPECT_THAT(world.done(), ElementsAre(HasSubstr("fits for two minutes")));
}

TEST(SchedulerTold, WhereNobodyCouldGoAndItFitsNowItIsToldAtOnce) {
  SchedulerWorld world;
  world.put(test::node(4000));
  world.put(deferred(running_pod("web", 1000, 0, 100), 2000));
  world.put(running_pod("peer", 3000, 0, 100));
  world.start();
  EXPECT_THAT(world.done(), ElementsAre(HasSubstr("No room is made for the resize")));
  world.remove("default/peer");
  EXPECT_THAT(world.done(), ElementsAre(HasSubstr("event default/web: ResizeFits: ")));
}

TEST(SchedulerTold, RoomThatIsLateIsToldWithItsNewTimeOnce) {
  SchedulerWorld world;
  fill(world);
  world.start();
  EXPECT_THAT(world.done(), testing::Contains(HasSubstr("expected by 2026-05-28T20:27:10Z")));
  world.pass(seconds(34));
  EXPECT_THAT(world.done(), IsEmpty());
  world.pass(seconds(1));
  EXPECT_THAT(world.done(),
              ElementsAre("event default/web: Preempting: The resize waits: enough room is on its "
                          "way: default/batch-2 leaves, expected by 2026-05-28T20:27:40Z"));
  world.pass(seconds(24));
  EXPECT_THAT(world.done(), IsEmpty());
  world.pass(seconds(2));
  EXPECT_THAT(world.done(), ElementsAre(HasSubstr("No room is made for the resize")));
}

TEST(SchedulerTold, AnExpectedTimeThatMovesIsToldAgainAndOneThatHardlyDoesIsNot) {
  SchedulerWorld world;
  world.put(test::node(4000));
  world.put(deferred(running_pod("web", 1000, 0, 100), 2000));
  Pod leaves = running_pod("peer", 3000, 0, 100);
  leaves.deletion = world.wall() + seconds(600);
  leaves.deletion_grace_seconds = 600;
  world.put(leaves);
  world.start();
  EXPECT_THAT(world.done(), ElementsAre(HasSubstr("expected by 2026-05-28T20:36:40Z")));
  leaves.deletion = world.wall() + seconds(586);
  leaves.deletion_grace_seconds = 586;
  world.put(leaves);
  EXPECT_THAT(world.done(), IsEmpty());
  // A user shortens its grace period.
  leaves.deletion = world.wall() + seconds(30);
  leaves.deletion_grace_seconds = 30;
  world.put(leaves);
  EXPECT_THAT(world.done(), ElementsAre(HasSubstr("expected by 2026-05-28T20:27:10Z")));
}

// A second set says why the first was not enough, in the event and so in the log.
TEST(SchedulerTold, AFurtherSetIsToldWithItsCause) {
  SchedulerWorld world;
  fill(world);
  world.start();
  EXPECT_THAT(world.done(), Not(testing::Contains(HasSubstr("before"))));
  Pod late = running_pod("late", 1000, 0, 200);
  world.put(late);
  EXPECT_THAT(world.done(),
              testing::Contains(
                  "event default/web: Preempting: Removing default/batch-1 makes room for the "
                  "resize, expected by 2026-05-28T20:27:10Z; pods went for it before, and since "
                  "then pod default/late came and holds 1 cpu"));
}

TEST(SchedulerTold, WhoYieldsSaysUntilWhen) {
  ReactorOptions options = SchedulerWorld::usual();
  options.yield_to->insert("default-scheduler");
  SchedulerWorld world(options);
  fill(world);
  Pod web = world.pod("default/web");
  web.scheduler_name = "default-scheduler";
  world.put(web);
  world.start();
  EXPECT_THAT(world.done(),
              ElementsAre("event default/web: Preempting: The resize waits: default-scheduler may "
                          "make room itself and has the first turn, until 2026-05-28T20:27:10Z"));
}

TEST(SchedulerTold, TheBreakerSaysWhichLimitAndUntilWhen) {
  ReactorOptions options = SchedulerWorld::usual();
  options.breaker.pods_per_node = 1;
  SchedulerWorld world(options);
  world.put(test::node(4000));
  world.put(deferred(running_pod("web", 1000, 0, 100), 2000));
  world.put(running_pod("batch-1", 3000, 0, 1));
  world.start();
  static_cast<void>(world.done());
  world.put(running_pod("batch-2", 3000, 0, 1));
  EXPECT_THAT(world.done(),
              ElementsAre("event default/web: FailedScheduling: No room is made for the resize: "
                          "removing default/batch-2 would be more than 1 pods of the node in 10 "
                          "minutes, until 2026-05-28T20:36:40Z"));
}

// An instance group that replaces a machine gives the next one the same name.
TEST(SchedulerReactor, TheBreakerDoesNotCountWhatAnEarlierNodeOfThatNameLost) {
  ReactorOptions options = SchedulerWorld::usual();
  options.breaker.pods_per_node = 1;
  SchedulerWorld world(options);
  world.put(test::node(4000));
  world.put(deferred(running_pod("web", 1000, 0, 100), 2000));
  world.put(running_pod("batch-1", 3000, 0, 1));
  world.start();
  EXPECT_THAT(world.writes(), Contains("delete default/batch-1"));
  for (const char* pod : {"default/web", "default/batch-1"}) world.remove(pod);
  policy::Node next = test::node(4000);
  next.uid = "uid-of-another";
  world.put(next);
  Pod web = deferred(running_pod("web-2", 1000, 0, 100), 2000);
  world.put(web);
  world.put(running_pod("batch-2", 3000, 0, 1));
  EXPECT_THAT(world.writes(), Contains("delete default/batch-2"));
}

TEST(SchedulerReactor, AfterItsTurnNobodyGoesBesideOneOnItsWayOut) {
  ReactorOptions options = SchedulerWorld::usual();
  options.yield_to->insert("default-scheduler");
  SchedulerWorld world(options);
  world.put(test::node(4000));
  Pod web = deferred(running_pod("web", 1000, 0, 100), 3000);
  web.scheduler_name = "default-scheduler";
  world.put(web);
  world.put(running_pod("batch-1", 2000, 0, 10));
  Pod leaving = running_pod("batch-2", 1000, 0, 5);
  leaving.deletion = world.wall() + seconds(60);
  leaving.deletion_grace_seconds = 60;
  world.put(leaving);
  world.start();
  world.pass(seconds(60));
  EXPECT_THAT(world.writes(), IsEmpty());
  world.remove("default/batch-2");
  EXPECT_THAT(world.writes(), ElementsAre("mark default/batch-1", "delete default/batch-1"));
}

TEST(SchedulerReactor, AfterItsTurnWhoWeAskedToGoForThisVeryResizeIsNoneOfItsDoing) {
  ReactorOptions options = SchedulerWorld::usual();
  options.yield_to->insert("default-scheduler");
  SchedulerWorld world(options);
  world.put(test::node(4000));
  Pod web = deferred(running_pod("web", 1000, 0, 100), 4000);
  web.scheduler_name = "default-scheduler";
  world.put(web);
  world.put(running_pod("a", 2000, 0, 10));
  world.put(running_pod("b", 1000, 0, 5));
  world.refuse = [](const std::string& effect) -> std::optional<Error> {
    if (effect != "delete default/b") return std::nullopt;
    return Error{Code::Unavailable, "timed out", {}};
  };
  world.start();
  world.pass(seconds(30));
  EXPECT_THAT(world.writes(), testing::Contains("delete default/a"));
  world.refuse = nullptr;
  world.pass(seconds(3));
  EXPECT_THAT(world.writes(), ElementsAre("delete default/b"));
}

TEST(SchedulerReactor, TheNodeItselfMakesRoomForItsCriticalPodsFirst) {
  SchedulerWorld world;
  world.put(test::node(4000));
  policy::Node node = test::node(4000);
  node.critical_preemption_by_node = true;
  world.put(node);
  world.put(deferred(running_pod("web", 1000, 0, 2'000'000'000), 2000));
  world.put(running_pod("batch-1", 3000, 0, 10));
  world.start();
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::NodesTurn);
  world.pass(milliseconds(29'999));
  EXPECT_THAT(world.writes(), IsEmpty());
  world.pass(milliseconds(1));
  EXPECT_THAT(world.writes(), ElementsAre("mark default/batch-1", "delete default/batch-1"));
}

TEST(SchedulerReactor, RoomForCriticalPodsIsMadeAtOnceWhereTheNodeDoesNot) {
  SchedulerWorld world;
  world.put(test::node(4000));
  world.put(deferred(running_pod("web", 1000, 0, 2'000'000'000), 2000));
  world.put(running_pod("batch-1", 3000, 0, 10));
  world.start();
  EXPECT_THAT(world.writes(), ElementsAre("mark default/batch-1", "delete default/batch-1"));
}

TEST(SchedulerReactor, TheBreakerStopsTheFourthSet) {
  SchedulerWorld world;
  world.put(test::node(4000));
  world.put(deferred(running_pod("web", 1000, 0, 100), 2000));
  world.put(running_pod("greedy", 3000, 0, 1));
  world.start();
  // A user puts a new pod into the room each time before the node can give it to web.
  for (int round = 0; round < 5; ++round) {
    const std::string name = round == 0 ? "greedy" : "greedy-" + std::to_string(round);
    if (world.pod("default/" + name).deletion) {
      world.put(running_pod("greedy-" + std::to_string(round + 1), 3000, 0, 1));
      world.remove("default/" + name);
    } else {
      EXPECT_EQ(round, 3);
      break;
    }
  }
  EXPECT_EQ(world.reactor().counts().victims, 3);
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::Broken);
  world.pass(minutes(10));
  EXPECT_EQ(world.reactor().counts().victims, 4);
  EXPECT_EQ(world.reactor().counts().useful_flushes, 0);
}

// web of a node of 12 cpus wants all of them; eleven others have one each.
void fill_with_eleven(SchedulerWorld& world) {
  world.put(test::node(12'000));
  world.put(deferred(running_pod("web", 1000, 0, 100), 12'000));
  for (int i = 0; i < 11; ++i) world.put(running_pod("low-" + std::to_string(i), 1000, 0, 1));
}

TEST(SchedulerBreaker, MoreThanANodeMayLoseAtOnceIsToldAndDoneByNobody) {
  SchedulerWorld world;
  fill_with_eleven(world);
  world.start();
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::TooMany);
  EXPECT_THAT(world.done(),
              ElementsAre("event default/web: FailedScheduling: No room is made for the resize: "
                          "removing default/low-0, default/low-1, default/low-10, default/low-2, "
                          "default/low-3 and 6 more would be 11 pods at once, and the node may "
                          "lose at most 10 in 10 minutes (podsPerNode)"));
  world.pass(minutes(30));
  EXPECT_THAT(world.done(), IsEmpty());
  world.remove("default/low-5");
  EXPECT_EQ(world.reactor().counts().victims, 10);
  EXPECT_EQ(world.reactor().counts().useful_flushes, 0);
}

// As many pods as the limits allow are terminating, marked by a scheduler that does not exist any
// more.
TEST(SchedulerBreaker, ASuccessorCountsWhatItFindsOnItsWayOut) {
  SchedulerWorld world;
  world.put(test::node(4000));
  world.put(deferred(running_pod("web", 1000, 0, 100), 2000));
  world.put(running_pod("batch", 3000, 0, 10));
  for (int set = 1; set <= 3; ++set) {
    Pod leaves = running_pod("left-" + std::to_string(set), 0, 0, 1);
    leaves.conditions.push_back(policy::marking_condition(
        leaves, policy::kReasonPreemptionByScheduler, "why", {"uid-web", 1}, world.wall()));
    leaves.deletion_grace_seconds = 3600;
    leaves.deletion = world.wall() - minutes(4 - set) + seconds(3600);
    world.put(leaves);
  }
  world.start();
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::Broken);
  world.pass(minutes(7) - milliseconds(1));
  EXPECT_THAT(world.writes(), IsEmpty());
  world.pass(milliseconds(1));
  EXPECT_THAT(world.writes(), ElementsAre("mark default/batch", "delete default/batch"));
}

// Sets of one pod, each gone before the process is lost.
void lose_sets(SchedulerWorld& world, int sets) {
  world.put(test::node(4000));
  world.put(deferred(running_pod("web", 1000, 0, 100), 2000));
  for (int set = 1; set <= sets; ++set) {
    const std::string name = "greedy-" + std::to_string(set);
    world.put(running_pod(name, 3000, 0, 1));
    world.restart();
    world.start();
    ASSERT_TRUE(world.pod("default/" + name).deletion) << name;
    world.pass(minutes(1));
    world.remove("default/" + name);
  }
  world.restart();
  world.put(running_pod("greedy", 3000, 0, 1));
  static_cast<void>(world.done());
}

TEST(SchedulerBreaker, ASuccessorCountsWhatIsGone) {
  SchedulerWorld world;
  lose_sets(world, 3);
  world.start();
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::Broken);
  world.pass(minutes(7) + CircuitBreaker::kClocksDiffer - milliseconds(1));
  EXPECT_THAT(world.writes(), IsEmpty());
  world.pass(milliseconds(1));
  EXPECT_THAT(world.writes(), ElementsAre("mark default/greedy", "delete default/greedy"));
}

TEST(SchedulerBreaker, WhereWhatIsGoneCannotBeReadOneMoreSetGoes) {
  SchedulerWorld world;
  lose_sets(world, 1);
  world.breaker->text = "somebody has edited this";
  world.start();
  EXPECT_THAT(world.writes(), ElementsAre("mark default/greedy", "delete default/greedy"));
  world.remove("default/greedy");
  world.restart();
  world.put(running_pod("another", 3000, 0, 1));
  world.start();
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::Broken);
  world.pass(minutes(10) - milliseconds(1));
  EXPECT_THAT(world.writes(), IsEmpty());
  world.pass(milliseconds(1));
  EXPECT_THAT(world.writes(), ElementsAre("mark default/another", "delete default/another"));
}

TEST(SchedulerBreaker, NobodyGoesThatIsNotWrittenDown) {
  for (const Code code : {Code::Denied, Code::NotFound}) {
    SchedulerWorld world;
    world.put(test::node(4000));
    world.put(deferred(running_pod("web", 1000, 0, 100), 2000));
    world.put(running_pod("batch", 3000, 0, 1));
    world.refuse = [code](const std::string& what) -> std::optional<Error> {
      if (what != "breaker write") return std::nullopt;
      return Error{code, "no lease is kept", {}};
    };
    world.start();
    world.pass(minutes(1));
    EXPECT_FALSE(world.pod("default/batch").deletion);
    EXPECT_TRUE(world.pod("default/batch").conditions.empty()) << "the mark was taken back";
    EXPECT_THAT(world.waiting("default/web").message, HasSubstr("no lease is kept"));
    world.refuse = {};
    world.pass(minutes(1));
    EXPECT_TRUE(world.pod("default/batch").deletion);
  }
}

TEST(SchedulerBreaker, WhoeverFollowsCountsWhatTheLeaderRemoves) {
  ReactorOptions options = leading();
  options.breaker.sets_per_pod = 1;
  SchedulerWorld world(options);
  world.put(test::node(4000));
  world.put(running_pod("batch-1", 2000, 0, 10));
  world.put(running_pod("batch-2", 1000, 0, 5));
  world.start();
  world.tell(
      LeaseSeen{api::Lease{.resource_version = "1", .holder = "two", .duration_seconds = 15}});
  // The leader's set is removed within a moment.
  Pod marked = world.pod("default/batch-2");
  marked.conditions.push_back(policy::marking_condition(
      marked, policy::kReasonPreemptionByScheduler, "why", {"uid-web", 2}, world.wall()));
  world.put(marked);
  marked.deletion = world.wall();
  world.put(marked);
  world.remove("default/batch-2");
  world.put(deferred(running_pod("web", 2000, 0, 100), 3000));
  world.pass(minutes(1));
  EXPECT_EQ(world.reactor().leads(), true);
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::Broken);
  EXPECT_THAT(world.writes(), Not(testing::Contains(HasSubstr("default/"))));
}

TEST(SchedulerBreaker, WhoWasGoneAlreadyIsNotCharged) {
  ReactorOptions options = SchedulerWorld::usual();
  options.breaker.sets_per_pod = 1;
  SchedulerWorld world(options);
  fill(world);
  world.refuse = [](const std::string& effect) -> std::optional<Error> {
    if (effect != "delete default/batch-2") return std::nullopt;
    return Error{Code::NotFound, "pods \"batch-2\" not found", {}};
  };
  world.start();
  EXPECT_EQ(world.reactor().counts().victims, 0);
  world.refuse = nullptr;
  // Another pod took its room.
  world.put(running_pod("batch-3", 1000, 0, 5));
  world.remove("default/batch-2");
  EXPECT_EQ(world.reactor().counts().victims, 1);
}

TEST(SchedulerReactor, WhereTheBreakerWaitsAnOverdueVictimIsToldAllTheSame) {
  ReactorOptions options = SchedulerWorld::usual();
  options.breaker.pods_per_node = 0;
  SchedulerWorld world(options);
  world.put(test::node(4000));
  world.put(deferred(running_pod("web", 1000, 0, 100), 3000));
  world.put(running_pod("batch-1", 2000, 0, 10));
  Pod leaves = running_pod("batch-2", 1000, 0, 5);
  leaves.conditions.push_back(policy::marking_condition(
      leaves, policy::kReasonPreemptionByScheduler, "why", {"uid-other", 1}, world.wall()));
  leaves.deletion = world.wall() + seconds(30);
  leaves.deletion_grace_seconds = 30;
  world.put(leaves);
  world.start();
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::TooMany);
  world.pass(seconds(60));
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::NoVictims);
}

TEST(SchedulerReactor, AnOverdueVictimStopsItsNode) {
  SchedulerWorld world;
  fill(world);
  world.start();
  EXPECT_EQ(world.writes().size(), 2);
  world.pass(seconds(61));  // 30 s of grace, 30 s more
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::NoVictims);
  EXPECT_THAT(world.waiting("default/web").message, HasSubstr("default/batch-2"));
  EXPECT_THAT(world.writes(), IsEmpty());
}

// At once that it fits; and after two minutes both sums.
TEST(SchedulerReactor, SaysWhenTheNodeDisagreesForTwoMinutes) {
  SchedulerWorld world;
  world.put(test::node(4000));
  world.put(deferred(running_pod("web", 1000, 0, 100), 2000));
  world.start();
  EXPECT_THAT(
      world.done(),
      ElementsAre("event default/web: ResizeFits: Nobody is removed for the resize: it fits "
                  "by now, and its node is to admit it"));
  const auto turns = world.reactor().counts().turns;
  world.pass(milliseconds(119'999));
  EXPECT_THAT(world.done(), IsEmpty());
  EXPECT_EQ(world.reactor().counts().turns, turns);
  world.pass(milliseconds(1));
  EXPECT_THAT(world.done(),
              ElementsAre(HasSubstr("fits for two minutes by our sums (it asks for 2 cpu")));
  world.pass(minutes(20));
  EXPECT_THAT(world.done(), IsEmpty());
  EXPECT_EQ(world.reactor().counts().disagreements, 1);
}

TEST(SchedulerReactor, EventsOfOtherNodesWakeNobody) {
  SchedulerWorld world;
  world.put(test::node(4000));
  world.put(deferred(running_pod("web", 1000, 0, 100), 2000));
  world.put(running_pod("peer", 3000, 0, 100));
  world.start();
  const auto turns = world.reactor().counts().turns;
  Pod far = running_pod("far", 1000);
  far.node = "node-2";
  world.put(far);
  world.put(test::node(1000, 0, "node-2"));
  world.remove("default/far");
  EXPECT_EQ(world.reactor().counts().turns, turns);
  world.remove("default/peer");
  EXPECT_NE(world.reactor().counts().turns, turns);
}

// A change that wakes no pod would be a bug; the flush finds it.
TEST(SchedulerReactor, AFlushThatFindsWorkIsCounted) {
  SchedulerWorld world;
  world.put(test::node(4000));
  world.put(deferred(running_pod("web", 1000, 0, 100), 2000));
  world.put(running_pod("peer", 3000, 0, 100));
  world.start();
  ASSERT_EQ(world.waiting("default/web").result, TurnResult::NoVictims);
  ReactorState state = world.reactor().state();
  static_cast<void>(state.cluster.put(cluster::PackedPod::packed(running_pod("peer", 3000, 0, 1))));
  Reactor reactor(SchedulerWorld::usual(), std::move(state));
  const Moment later{.since_start = world.now() + minutes(5), .wall = world.wall() + minutes(5)};
  (void)reactor.handle({.at = later, .what = TimePassed{}});
  EXPECT_EQ(reactor.waiting().at("default/web").result, TurnResult::Preempts);
  EXPECT_EQ(reactor.counts().useful_flushes, 1);
}

// It holds no room there before it has begun, and then all that it requests.
TEST(SchedulerReactor, APodThatItsNodeNeverAdmitsWakesOthersOnceItHasBegun) {
  SchedulerWorld world;
  world.put(test::node(4000));
  world.put(deferred(running_pod("web", 1000, 0, 100), 2000));
  world.put(running_pod("peer", 3000, 0, 100));
  Pod giant = running_pod("giant", 5000);
  giant.phase = policy::Phase::Pending;
  giant.containers[0].allocated_requests.reset();
  giant.containers[0].actual_requests.reset();
  giant.containers[0].state = policy::RunState::None;
  world.put(giant);
  world.start();
  const auto turns = world.reactor().counts().turns;
  giant.conditions.push_back({.type = std::string(policy::kReady), .status = "False"});
  world.put(giant);
  EXPECT_EQ(world.reactor().counts().turns, turns);
  giant.phase = policy::Phase::Running;
  world.put(giant);
  EXPECT_NE(world.reactor().counts().turns, turns);
}

// A set is given up, its mark is taken back, and the watch still shows the mark.
TEST(SchedulerReactor, AMarkThatWasTakenBackIsMadeAnew) {
  SchedulerWorld world;
  fill(world);
  world.refuse = [](const std::string& what) -> std::optional<Error> {
    if (!what.starts_with("clear ")) return std::nullopt;
    return Error{Code::Unavailable, "the answer was lost", {}};
  };
  world.holds_back = true;
  world.start();
  world.put(running_pod("more", 1000, 0, 1));
  world.answer();
  EXPECT_THAT(world.writes(),
              ElementsAre("mark default/batch-2", "clear default/batch-2", "mark default/batch-2",
                          "mark default/more", "check default/batch-2", "check default/more",
                          "delete default/batch-2", "delete default/more"));
}

TEST(SchedulerReactor, ATakingBackThatFailedIsNotTriedAgainBeforeItsTime) {
  SchedulerWorld world;
  world.put(test::node(4000));
  Pod marked = running_pod("batch", 1000, 0, 5);
  marked.conditions.push_back(policy::marking_condition(
      marked, policy::kReasonPreemptionByScheduler, "why", {"uid-gone", 2}, world.wall()));
  world.put(marked);
  world.refuse = [](const std::string& what) -> std::optional<Error> {
    if (!what.starts_with("clear ")) return std::nullopt;
    return Error{Code::Unavailable, "the answer was lost", {}};
  };
  world.start();
  EXPECT_THAT(world.writes(), ElementsAre("clear default/batch"));
  world.put(running_pod("more", 1000));  // on its node: the mark is looked at once more
  world.pass(seconds(9));
  EXPECT_THAT(world.writes(), IsEmpty());
  world.refuse = nullptr;
  world.pass(seconds(4));
  EXPECT_THAT(world.writes(), ElementsAre("clear default/batch"));
}

// Another writer's mark is being removed when that writer removes it itself.
TEST(SchedulerReactor, NobodyIsMarkedWhileTheTakingBackOfAMarkIsOnItsWay) {
  SchedulerWorld world;
  fill(world);
  const Pod free = world.pod("default/batch-2");
  Pod marked = free;
  marked.conditions.push_back(policy::marking_condition(
      marked, policy::kReasonPreemptionByScheduler, "why", {"uid-gone", 2}, world.wall()));
  const Pod wishes = world.pod("default/web");
  world.put(marked);
  world.remove("default/web");
  world.keeps_back = "clear";
  world.start();
  world.put(free);
  world.put(wishes);
  EXPECT_THAT(world.writes(), IsEmpty());
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::Busy);
  world.release();
  world.pass(seconds(3));
  EXPECT_TRUE(policy::removal_mark(world.pod("default/batch-2")));
}

TEST(SchedulerReactor, WhomAnAgentMarkedIsMarkedAnew) {
  SchedulerWorld world;
  fill(world);
  Pod marked = running_pod("batch-2", 1000, 0, 5);
  marked.conditions.push_back(policy::marking_condition(marked, policy::kReasonTerminationByKubelet,
                                                        "why", {"uid-web", 2}, world.wall()));
  world.put(marked);
  world.start();
  EXPECT_THAT(world.writes(), ElementsAre("mark default/batch-2", "delete default/batch-2"));
}

// For a while there is another pod of the same uid.
void have_a_twin(SchedulerWorld& world, const std::string& of) {
  Pod twin = world.pod(of);
  twin.name = "twin";
  world.put(twin);
  world.remove("default/twin");
}

TEST(SchedulerReactor, ATwinDoesNotInheritTheTimeThatAnotherOneHasWaited) {
  ReactorOptions options = SchedulerWorld::usual();
  options.yield_to->insert("default-scheduler");
  SchedulerWorld world(options);
  fill(world);
  Pod web = world.pod("default/web");
  web.scheduler_name = "default-scheduler";
  world.put(web);
  world.start();
  world.pass(seconds(20));
  Pod twin = web;
  twin.name = "twin";
  world.put(twin);
  world.pass(seconds(5));
  world.remove("default/web");
  EXPECT_EQ(world.waiting("default/twin").result, TurnResult::Yields);
  world.pass(milliseconds(24'999));
  EXPECT_THAT(world.writes(), IsEmpty());
  world.pass(milliseconds(1));
  EXPECT_THAT(world.writes(), testing::Contains("delete default/batch-2"));
}

TEST(SchedulerReactor, AMarkStandsWhenATwinOfItsPreemptorIsGone) {
  ReactorOptions options = SchedulerWorld::usual();
  options.yield_to->insert("default-scheduler");
  SchedulerWorld world(options);
  fill(world);
  Pod web = world.pod("default/web");
  web.scheduler_name = "default-scheduler";
  world.put(web);
  Pod marked = running_pod("batch-2", 1000, 0, 5);
  marked.conditions.push_back(policy::marking_condition(
      marked, policy::kReasonPreemptionByScheduler, "why", {"uid-web", 2}, world.wall()));
  world.put(marked);
  world.start();
  have_a_twin(world, "default/web");
  EXPECT_THAT(world.writes(), IsEmpty());
}

TEST(SchedulerReactor, ALeavingPodIsOverdueInTimeWhenATwinOfItIsGone) {
  SchedulerWorld world;
  fill(world);
  Pod leaves = running_pod("batch-2", 1000, 0, 5);
  leaves.deletion = world.wall() + seconds(30);
  leaves.deletion_grace_seconds = 30;
  world.put(leaves);
  world.start();
  have_a_twin(world, "default/batch-2");
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::Awaits);
  world.pass(seconds(60));
  EXPECT_THAT(world.writes(), ElementsAre("mark default/batch-1", "delete default/batch-1"));
}

TEST(SchedulerReactor, ADryRunDecidesAndWritesNothing) {
  ReactorOptions options = SchedulerWorld::usual();
  options.dry_run = true;
  SchedulerWorld world(options);
  fill(world);
  world.start();
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::Preempts);
  world.pass(minutes(11));
  world.remove("default/batch-1");
  world.pass(minutes(11));
  EXPECT_EQ(world.reactor().counts().disagreements, 1);
  EXPECT_THAT(world.writes(), IsEmpty());
}

TEST(SchedulerReactor, ADryRunLogsEachDecisionOnce) {
  ReactorOptions options = SchedulerWorld::usual();
  options.dry_run = true;
  SchedulerWorld world(options);
  fill(world);
  world.start();
  EXPECT_THAT(
      world.done(),
      ElementsAre("log default/web: Preempting: Removing default/batch-2 makes room for the "
                  "resize, expected by 2026-05-28T20:27:10Z"));
  world.pass(minutes(11));
  EXPECT_THAT(world.done(), IsEmpty());
  world.put(with_owner("ops.dev/no"));
  EXPECT_THAT(
      world.done(),
      ElementsAre("log default/web: FailedScheduling: No room is made for the resize: resize "
                  "preemption is disabled on node node-1 by ops.dev/no"));
}

TEST(SchedulerReactor, WhoeverFollowsWritesNothing) {
  ReactorOptions options = SchedulerWorld::usual();
  options.leader_elect = true;
  options.elector.identity = "two";
  SchedulerWorld world(options);
  fill(world);
  world.start();
  EXPECT_THAT(world.done(), IsEmpty());
  world.tell(
      LeaseSeen{api::Lease{.resource_version = "1", .holder = "one", .duration_seconds = 15}});
  EXPECT_EQ(world.reactor().idle_because(), "one leads");
  world.pass(milliseconds(14'999));
  EXPECT_THAT(world.done(), IsEmpty());
  world.tell(LeaseSeen{api::Lease{.resource_version = "2", .holder = "", .duration_seconds = 1}});
  EXPECT_THAT(world.writes(),
              ElementsAre("lease two", "mark default/batch-2", "delete default/batch-2"));
}

TEST(SchedulerLease, WhoeverFollowsWaitsForNothingElse) {
  Reactor reactor(leading());
  const LeaseSeen seen{
      api::Lease{.resource_version = "1", .holder = "two", .duration_seconds = 15}};
  (void)reactor.handle({.at = {.since_start = seconds(5), .wall = {}}, .what = seen});
  ASSERT_TRUE(reactor.next_wake());
  EXPECT_GT(*reactor.next_wake(), seconds(5));
}

TEST(SchedulerLease, ThatCannotBeFollowedIsTold) {
  SchedulerWorld world(leading());
  fill(world);
  world.start();
  EXPECT_EQ(world.reactor().lease_error(), "");
  world.tell(LeaseUnseen{"list leases: 403 Forbidden"});
  EXPECT_EQ(world.reactor().lease_error(), "the Lease is not followed: list leases: 403 Forbidden");
  EXPECT_EQ(world.reactor().idle_because(), world.reactor().lease_error());
  world.tell(LeaseUnseen{});
  EXPECT_EQ(world.reactor().lease_error(), "");
  EXPECT_EQ(world.reactor().idle_because(), "nobody leads yet");
}

TEST(SchedulerLease, ThatCannotBeWrittenIsTold) {
  SchedulerWorld world(leading());
  fill(world);
  world.refuse = [](const std::string& effect) -> std::optional<Error> {
    if (!effect.starts_with("lease ")) return std::nullopt;
    return Error{Code::Denied, "create lease: 403 Forbidden", {}};
  };
  world.start();
  world.tell(LeaseSeen{});
  EXPECT_EQ(world.reactor().lease_error(),
            "the Lease cannot be written: create lease: 403 Forbidden");
  world.refuse = nullptr;
  world.pass(seconds(2));
  EXPECT_TRUE(world.reactor().leads());
  EXPECT_EQ(world.reactor().lease_error(), "");
  EXPECT_EQ(world.reactor().idle_because(), "");
}

// A Lease that we hold is ours until its time is over, whatever its watch does.
TEST(SchedulerLease, ThatIsOursIsNoTroubleWhileItsWatchIsLost) {
  SchedulerWorld world(leading());
  fill(world);
  world.start();
  world.tell(LeaseSeen{});
  world.tell(LeaseUnseen{"connection refused"});
  EXPECT_EQ(world.reactor().lease_error(), "");
  EXPECT_TRUE(world.reactor().leads());
}

// It leads, loses the Lease and leads again, and all the while its watch says nothing.
TEST(SchedulerReactor, WhoWasAskedToGoIsNotAskedAgainInALaterLeadership) {
  LedReactor led(SchedulerWorld::usual());
  std::vector<std::string> deleted;
  EffectId answered_late = 0;
  led.keeps_back = [&](const Effect& effect) {
    const auto* removed = std::get_if<DeleteVictim>(&effect.what);
    if (removed == nullptr) return false;
    deleted.push_back(removed->victim.name);
    if (answered_late != 0) return false;
    answered_late = effect.id;
    return true;
  };
  const auto packed = [](const Pod& pod) { return cluster::PackedPod::packed(pod); };
  led.tell(seconds(0), LeaseSeen{});
  led.tell(seconds(1), NodesListed{{test::node(4000)}});
  led.tell(seconds(1), BudgetsListed{});
  led.tell(seconds(1), OwnBudgetsListed{});
  led.tell(seconds(1), PodGroupsListed{});
  led.tell(seconds(1), PodsListed{{packed(deferred(running_pod("web", 1000, 0, 100), 2000)),
                                   packed(running_pod("batch-1", 2000, 0, 10)),
                                   packed(running_pod("batch-2", 1000, 0, 5))}});
  EXPECT_THAT(deleted, ElementsAre("batch-2"));
  led.loses_lease(seconds(2));
  EXPECT_FALSE(led.reactor().leads());
  led.tell(seconds(3), Done{.effect = answered_late});
  led.is_offered_lease(seconds(4));
  led.tell(seconds(5), TimePassed{});
  EXPECT_TRUE(led.reactor().leads());
  EXPECT_THAT(deleted, ElementsAre("batch-2"));
}

TEST(SchedulerReactor, ALeaseLostInMidWriteLeavesTheRestToTheNext) {
  ReactorOptions options = SchedulerWorld::usual();
  options.leader_elect = true;
  options.elector.identity = "one";
  SchedulerWorld world(options);
  fill(world);
  world.start();
  world.tell(LeaseSeen{});
  static_cast<void>(world.done());
  world.remove("default/batch-2");
  Pod web = world.pod("default/web");
  world.put(test::resized(web, 4000));
  web = world.pod("default/web");
  web.conditions[0].observed_generation = web.generation;
  world.holds_back = true;
  world.put(web);
  world.tell(
      LeaseSeen{api::Lease{.resource_version = "9", .holder = "two", .duration_seconds = 15}});
  EXPECT_FALSE(world.reactor().leads());
  world.answer();
  EXPECT_THAT(world.writes(), ElementsAre("mark default/batch-1"));
}

// ---- a clean stop ----

TEST(SchedulerHandOver, TheLeaseGoesBackAtOnceWhereNothingIsUnderWay) {
  SchedulerWorld world(leading());
  fill(world);
  world.start();
  world.tell(LeaseSeen{});
  static_cast<void>(world.done());
  world.tell(StopAsked{});
  EXPECT_THAT(world.writes(), ElementsAre("lease "));
  EXPECT_TRUE(world.reactor().handed_over());
}

TEST(SchedulerHandOver, TheLeaseWaitsForARemovalThatIsUnderWay) {
  SchedulerWorld world(leading());
  fill(world);
  world.start();
  world.keeps_back = "delete ";
  world.tell(LeaseSeen{});
  EXPECT_THAT(world.writes(), ElementsAre("lease one", "mark default/batch-2"));
  world.tell(StopAsked{});
  EXPECT_THAT(world.writes(), IsEmpty());
  EXPECT_FALSE(world.reactor().handed_over());
  world.pass(milliseconds(500));
  EXPECT_THAT(world.writes(), IsEmpty());
  world.release();
  EXPECT_THAT(world.done(), ElementsAre("delete default/batch-2",
                                        HasSubstr("event default/batch-2: Preempted"), "lease "));
  EXPECT_TRUE(world.reactor().handed_over());
  EXPECT_EQ(world.reactor().counts().victims, 1);
}

TEST(SchedulerHandOver, ARemovalThatIsNotAnsweredIsGivenUpBeforeTheLease) {
  SchedulerWorld world(leading());
  fill(world);
  world.start();
  world.keeps_back = "delete ";
  world.tell(LeaseSeen{});
  world.tell(StopAsked{});
  static_cast<void>(world.done());
  world.pass(milliseconds(599));
  EXPECT_FALSE(world.reactor().handed_over());
  EXPECT_THAT(world.writes(), IsEmpty());
  world.pass(milliseconds(1));
  EXPECT_THAT(world.writes(), ElementsAre("give up", "lease "));
  EXPECT_TRUE(world.reactor().handed_over());
  EXPECT_TRUE(policy::removal_mark(world.pod("default/batch-2"))) << "for the next one";
}

TEST(SchedulerHandOver, TheLeaseRunsOutWhereNotEvenThatIsAnswered) {
  SchedulerWorld world(leading());
  fill(world);
  world.start();
  world.keeps_back = "delete ";
  world.tell(LeaseSeen{});
  world.tell(StopAsked{});
  static_cast<void>(world.done());
  world.holds_back = true;
  world.pass(milliseconds(799));
  EXPECT_FALSE(world.reactor().handed_over());
  world.pass(milliseconds(1));
  EXPECT_TRUE(world.reactor().handed_over()) << "and the program may end";
  EXPECT_THAT(world.writes(), IsEmpty());
}

TEST(SchedulerHandOver, WhatWasMarkedOnlyIsLeftToTheNext) {
  SchedulerWorld world(leading());
  fill(world);
  world.start();
  world.keeps_back = "mark ";
  world.tell(LeaseSeen{});
  world.tell(StopAsked{});
  static_cast<void>(world.done());
  world.release();
  EXPECT_THAT(world.writes(), ElementsAre("mark default/batch-2", "lease "));
}

}  // namespace
}  // namespace elbowroom::scheduler
