#include "rescheduler/reactor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "rescheduler/collections.h"
#include "rescheduler/explain.h"
#include "test/rescheduler_world.h"

namespace elbowroom::rescheduler {
namespace {

using policy::Pod;
using test::condition;
using test::kNoon;
using test::ReschedulerWorld;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

Pod replica(const std::string& name, bool is_ready = true) {
  Pod pod = test::pod_of_size(name, 0, test::figures(1));
  pod.labels["app"] = "x";
  pod.conditions.push_back(condition(policy::kReady, "", is_ready ? "True" : "False"));
  return pod;
}
Pod evicted(Pod pod, policy::Time at) {
  pod.deletion = at + 300s;
  pod.deletion_grace_seconds = 300;
  pod.conditions.push_back(condition(policy::kDisruptionTarget, "EvictionByEvictionAPI"));
  return pod;
}
policy::DisruptionBudget budget(const std::string& name = "db") {
  policy::DisruptionBudget made;
  made.ns = "default";
  made.name = name;
  made.selector = policy::LabelSelector{.match_labels = {{"app", "x"}}, .expressions = {}};
  made.min_available = policy::IntOrPercent{1};
  made.generation = 1;
  return made;
}
policy::DisruptionBudget hourly(std::int64_t disruptions) {
  policy::DisruptionBudget made = budget();
  made.min_available.reset();
  made.rate_disruptions = disruptions;
  made.rate_per = 1h;
  return made;
}

TEST(ReschedulerReactor, WritesTheStatusOnceAndAgainWhenItChanges) {
  ReschedulerWorld world;
  world.put(replica("a"));
  world.put(replica("b"));
  world.put(budget());
  world.start();
  EXPECT_EQ(world.budget("db").status.disruptions_allowed, 1);
  EXPECT_EQ(world.budget("db").status.expected_pods, 2);
  EXPECT_EQ(world.budget("db").status.observed_generation, 1);
  world.pass(1h);
  EXPECT_THAT(world.writes(), SizeIs(1)) << "nothing changed";
  world.put(replica("b", false));
  EXPECT_EQ(world.budget("db").status.disruptions_allowed, 0);
  world.remove(replica("b"));
  world.pass(2s);
  EXPECT_EQ(world.budget("db").status.expected_pods, 1);
  EXPECT_THAT(world.writes(), SizeIs(3));
}

TEST(ReschedulerReactor, WritesABudgetOnceASecondAtMost) {
  ReschedulerWorld world;
  world.put(budget());
  world.start();
  world.pass(5s);
  for (int i = 0; i < 40; ++i) {
    world.put(replica("p" + std::to_string(i)));
    world.pass(100ms);
  }
  world.pass(2s);
  EXPECT_EQ(world.budget("db").status.expected_pods, 40);
  const auto& writes = world.writes();
  EXPECT_GE(writes.size(), 5U);
  for (std::size_t i = 1; i < writes.size(); ++i) EXPECT_GE(writes[i].at - writes[i - 1].at, 1s);
}

TEST(ReschedulerReactor, EntersAPodThatGoesDisruptedAndTellsWhenTheNextMay) {
  ReschedulerWorld world;
  world.put(replica("a", false));
  world.put(hourly(1));
  world.start();
  world.pass(10s);
  world.put(evicted(replica("a", false), world.wall()));
  world.pass(1s);
  const policy::DisruptionBudget& is = world.budget("db");
  ASSERT_THAT(is.recent, SizeIs(1));
  EXPECT_EQ(is.recent[0].by, "EvictionByEvictionAPI");
  EXPECT_EQ(is.recent[0].time, kNoon + 10s);
  EXPECT_EQ(is.status.next_allowed_time, kNoon + 10s + 1h);
  EXPECT_EQ(world.reactor().counts().entered, 1U);
  world.remove(replica("a"));
  world.pass(1h);
  EXPECT_EQ(is.status.disruptions_allowed, 1) << "it is an hour old";
  world.pass(1min);
  EXPECT_THAT(is.recent, IsEmpty());
  EXPECT_EQ(is.status.next_allowed_time, std::nullopt);
}

TEST(ReschedulerReactor, RefundsADebitWhosePodLivesAfterTwoMinutes) {
  ReschedulerWorld world;
  world.put(replica("a"));
  policy::DisruptionBudget debited = hourly(1);
  debited.recent = {{"a", replica("a").uid, kNoon, "elbowroom"}};
  world.put(debited);
  world.start();
  world.pass(119s);
  EXPECT_THAT(world.budget("db").recent, SizeIs(1));
  world.pass(2s);
  EXPECT_THAT(world.budget("db").recent, IsEmpty());
  EXPECT_EQ(world.reactor().counts().refunded, 1U);
}

TEST(ReschedulerReactor, AfterAConflictItWaitsForTheWatchAndDecidesAgain) {
  ReschedulerWorld world;
  world.put(replica("a"));
  world.put(hourly(1));
  world.start();
  world.pass(5s);
  world.fail_writes(1, {.code = Code::Conflict, .message = "changed"});
  world.put(replica("b"));
  world.pass(2s);
  EXPECT_EQ(world.stored(), 1U) << "nothing is written over what is not seen";
  // The other program's debit arrives.
  policy::DisruptionBudget other = world.budget("db");
  other.recent = {{"a", replica("a").uid, world.wall(), "elbowroom-scheduler"}};
  world.put(other);
  world.pass(1s);
  EXPECT_EQ(world.stored(), 2U);
  EXPECT_EQ(world.budget("db").recent, other.recent);
  EXPECT_EQ(world.budget("db").status.disruptions_allowed, 0);
  EXPECT_EQ(world.reactor().counts().conflicts, 1U);
}

TEST(ReschedulerReactor, WhatTheWatchDoesNotShowYetIsNotWrittenOver) {
  ReschedulerWorld world;
  world.put(budget());
  world.start();
  world.pass(5s);
  world.hold_watch(true);
  world.put(replica("a"));
  world.put(replica("b"));
  world.pass(4s);
  EXPECT_THAT(world.writes(), SizeIs(2));
  world.hold_watch(false);
  world.pass(2s);
  EXPECT_EQ(world.budget("db").status.expected_pods, 2);
  EXPECT_EQ(world.stored(), world.writes().size());
}

TEST(ReschedulerReactor, ARefusedWriteIsRepeatedAfterLongerAndLongerTimes) {
  ReschedulerWorld world;
  world.put(budget());
  world.fail_writes(5,
                    {.code = Code::Denied, .message = "forbidden: patch disruptionbudgets/status"});
  world.start();
  EXPECT_THAT(world.reactor().write_error(), HasSubstr("forbidden"));
  world.pass(10min);
  const auto& writes = world.writes();
  ASSERT_THAT(writes, SizeIs(6));
  for (std::size_t i = 2; i < writes.size(); ++i) {
    EXPECT_GT(writes[i].at - writes[i - 1].at, writes[i - 1].at - writes[i - 2].at);
  }
  EXPECT_EQ(world.reactor().write_error(), "");
  EXPECT_EQ(world.reactor().counts().failed, 5U);
}

TEST(ReschedulerReactor, RenewsAHardBudgetEveryFiveMinutes) {
  ReschedulerWorld world;
  world.put(replica("a"));
  policy::DisruptionBudget hard = budget();
  hard.hard = true;
  world.put(hard);
  world.start();
  world.pass(1h + 1s);
  EXPECT_THAT(world.writes(), SizeIs(13));
  EXPECT_EQ(world.budget("db").status.observed_time, kNoon + 1h);
}

TEST(ReschedulerReactor, OnlyTheLeaderWrites) {
  ReschedulerWorld world(2);
  world.put(replica("a"));
  world.put(budget());
  world.start();
  world.pass(20s);
  EXPECT_EQ(world.replica(0).budget_writes, 1);
  EXPECT_EQ(world.replica(1).budget_writes, 0);
  // The leader is cut off; the other one follows after it, and writes what changed.
  world.replica(0).is_cut_off = true;
  world.put(replica("b"));
  world.pass(5s);
  EXPECT_EQ(world.replica(1).budget_writes, 0);
  EXPECT_THAT(world.reactor(1).idle_because(), HasSubstr("replica-0 leads"));
  world.pass(20s);
  EXPECT_EQ(world.replica(1).budget_writes, 1);
  EXPECT_EQ(world.budget("db").status.expected_pods, 2);
}

TEST(ReschedulerReactor, GivesTheLeaseBackAtTheEnd) {
  ReschedulerWorld world(2);
  world.put(budget());
  world.start();
  world.tell(world.replica(0), control::StopAsked{});
  EXPECT_TRUE(world.reactor(0).handed_over());
  world.pass(3s);
  EXPECT_TRUE(world.reactor(1).leads());
}

TEST(ReschedulerReactor, WhatIsNotFollowedIsNotWritten) {
  ReschedulerWorld world;
  world.put(budget());
  world.start();
  world.tell_all(Lost{Collection::Pods, "connection refused"});
  world.put(replica("a"));
  world.pass(10s);
  EXPECT_THAT(world.writes(), SizeIs(1));
  EXPECT_THAT(world.reactor().idle_because(), HasSubstr("pods are not followed"));
  world.tell_all(Back{Collection::Pods});
  world.pass(1s);
  EXPECT_EQ(world.budget("db").status.expected_pods, 1);
}

TEST(ReschedulerReactor, WhatIsListedAgainIsFollowed) {
  ReschedulerWorld world;
  world.start();
  for (const control::CollectionRow& row : kCollectionTable) {
    const auto of = Collection(&row - kCollectionTable.data());
    world.tell_all(Lost{of, "410"});
    EXPECT_THAT(world.reactor().why_moved({}, world.now()), HasSubstr("410")) << row.words;
    world.list_to(world.replica(0));
    EXPECT_EQ(world.reactor().idle_because(), "") << row.words;
    EXPECT_THAT(world.reactor().why_moved({}, world.now()), Not(HasSubstr("410"))) << row.words;
  }
}

TEST(ReschedulerReactor, ADryRunWritesNothing) {
  ReschedulerWorld world(1, true);
  world.put(replica("a"));
  world.put(budget());
  world.start();
  world.pass(10min);
  EXPECT_THAT(world.writes(), IsEmpty());
  EXPECT_TRUE(world.reactor().leads());
}

TEST(ReschedulerReactor, AKindThatIsDeletedIsNotMissed) {
  ReschedulerWorld world;
  world.put(budget());
  world.start();
  world.tell_all(BudgetsListed{});
  world.put(replica("a"));
  world.pass(10min);
  EXPECT_THAT(world.writes(), SizeIs(1));
  EXPECT_EQ(world.reactor().idle_because(), "");
}

TEST(ReschedulerReactor, TheStatusOfABudgetThatIsNotUnderstoodSaysSoOnceForEachReason) {
  ReschedulerWorld world;
  world.put(budget());
  world.start();
  const auto is_odd = [&](const std::string& why) {
    world.tell_all(Unreadable{.kind = "DisruptionBudget", .key = "default/db", .why = why});
  };
  is_odd("spec.rate");
  is_odd("spec.rate");  // as the watch shows it with the new status
  world.put(replica("a"));
  world.pass(10s);
  EXPECT_THAT(world.writes(), SizeIs(1));
  ASSERT_THAT(world.reports(), SizeIs(1));
  EXPECT_EQ(world.reports()[0].budget, "default/db");
  EXPECT_EQ(world.reports()[0].why, "spec.rate");
  EXPECT_THAT(explain_budget(world.reactor(), "default/db", {world.now(), world.wall()}, false),
              AllOf(HasSubstr("NotUnderstood"), HasSubstr("spec.rate")));
  is_odd("spec.selector");
  EXPECT_THAT(world.reports(), SizeIs(2));
  world.put(budget());
  world.pass(2s);
  EXPECT_EQ(world.budget("db").status.expected_pods, 1);
  is_odd("spec.selector");
  world.pass(2s);
  EXPECT_THAT(world.reports(), SizeIs(3)) << "it was understood meanwhile";
}

TEST(ReschedulerReactor, AnOddBudgetThatVanishesBetweenTwoListsIsReportedAgain) {
  ReschedulerWorld world;
  world.start();
  const auto is_odd = [&] {
    world.tell_all(Unreadable{.kind = "DisruptionBudget", .key = "default/db", .why = "spec.rate"});
  };
  is_odd();
  EXPECT_THAT(world.reports(), SizeIs(1));
  world.tell_all(BudgetsListed{});
  world.pass(2s);
  is_odd();
  world.pass(2s);
  EXPECT_THAT(world.reports(), SizeIs(2));
}

// What it has reported in an earlier leadership may have been overwritten since.
TEST(ReschedulerReactor, ANewLeadershipReportsOddBudgetsAgain) {
  ReschedulerWorld world;
  world.start();
  world.tell_all(Unreadable{.kind = "DisruptionBudget", .key = "default/db", .why = "spec.rate"});
  EXPECT_THAT(world.reports(), SizeIs(1));
  world.tell_all(Lost{.of = Collection::Pods, .why = "gone"});
  world.pass(2s);
  world.tell_all(Back{.of = Collection::Pods});
  world.pass(2s);
  EXPECT_THAT(world.reports(), SizeIs(2));
}

TEST(ReschedulerReactor, WhatCouldNotBeSaidOfABudgetIsSaidLater) {
  ReschedulerWorld world;
  world.start();
  world.fail_writes(2, {.code = Code::Conflict, .message = "changed"});
  world.tell_all(Unreadable{.kind = "DisruptionBudget", .key = "default/db", .why = "spec.rate"});
  world.pass(10s);
  EXPECT_THAT(world.reports(), SizeIs(3));
  world.tell_all(BudgetGone{.key = "default/db"});
  world.pass(5min);
  EXPECT_THAT(world.reports(), SizeIs(3));
}

policy::Node avoiding(std::vector<policy::AvoidedController> entries) {
  policy::Node node;
  node.name = "node-1";
  node.avoided_controllers = std::move(entries);
  return node;
}

TEST(ReschedulerReactor, TakesEndedEntriesOfPodsToAvoidAwayOnceEach) {
  ReschedulerWorld world(2);
  world.put(avoiding({{"a", kNoon + 1min}, {"b", kNoon + 5min}, {"c", std::nullopt}}));
  world.start();
  world.pass(59s);
  EXPECT_THAT(world.drops(), IsEmpty());
  world.pass(2s);
  ASSERT_THAT(world.drops(), SizeIs(1)) << "by the leader alone";
  EXPECT_EQ(world.drops()[0].now, kNoon + 1min);
  world.pass(1h);
  EXPECT_THAT(world.drops(), SizeIs(2)) << "one without a time stays";
}

TEST(ReschedulerReactor, AnEntryIsTakenAwayInTimeThoughItsClockWasWrongAtFirst) {
  ReschedulerWorld world;
  world.start();
  world.tell_all(control::ServerDated{world.wall() - 1h});
  world.put(avoiding({{"a", kNoon + 1min}}));
  world.pass(5s);
  world.tell_all(control::ServerDated{world.wall()});
  world.pass(2min);
  EXPECT_THAT(world.drops(), SizeIs(1));
}

TEST(ReschedulerReactor, EntriesOfOthersAreAskedAboutOnce) {
  ReschedulerWorld world;
  world.put(avoiding({{"b", kNoon + 5min}, {"other", kNoon - 1min}}));
  world.start();
  world.pass(4min);
  EXPECT_THAT(world.drops(), SizeIs(1));
  world.pass(1h);
  EXPECT_THAT(world.drops(), SizeIs(2)) << "ours, when it ends";
}

TEST(ReschedulerReactor, AnEntryThatCannotBeTakenAwayIsTriedAgainLater) {
  ReschedulerWorld world;
  world.put(avoiding({{"a", kNoon - 1min}}));
  world.fail_drops(Error{.code = Code::Denied, .message = "forbidden"});
  world.start();
  world.pass(10min);
  EXPECT_GE(world.drops().size(), 4U);
  EXPECT_LE(world.drops().size(), 6U);
  world.fail_drops(std::nullopt);
  world.pass(10min);
  const std::size_t asked = world.drops().size();
  world.pass(1h);
  EXPECT_THAT(world.drops(), SizeIs(asked));
}

TEST(ReschedulerReactor, TenThousandBudgetsAreAllWritten) {
  ReschedulerWorld world;
  for (int i = 0; i < 10'000; ++i) world.put(budget("db-" + std::to_string(i)));
  world.start();
  world.pass(3s);
  EXPECT_EQ(world.stored(), 10'000U);
  EXPECT_EQ(world.writes().size(), 10'000U);
}

TEST(ReschedulerReactor, ExplainsABudgetAndAPod) {
  ReschedulerWorld world;
  world.put(replica("a"));
  world.put(hourly(0));
  world.start();
  const Moment now{world.now(), world.wall()};
  EXPECT_THAT(explain_budget(world.reactor(), "default/db", now, false),
              AllOf(HasSubstr(R"("disruptionsAllowed":0)"), HasSubstr("RateExhausted"),
                    HasSubstr(R"("keptBy":"this replica")")));
  EXPECT_EQ(explain_budget(world.reactor(), "default/x", now, false), "");
  EXPECT_THAT(explain_pod(world.reactor(), "default/a", now),
              AllOf(HasSubstr(R"("budget":"default/db")"), HasSubstr(R"("disruptionsAllowed":0)")));
  EXPECT_EQ(explain_pod(world.reactor(), "default/x", now), "");
}

}  // namespace
}  // namespace elbowroom::rescheduler
