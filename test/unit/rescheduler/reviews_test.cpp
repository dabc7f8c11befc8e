#include "rescheduler/webhook/reviews.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>

#include "api/codec/timestamp.h"
#include "test/rescheduler_world.h"

namespace elbowroom::rescheduler {
namespace {

using policy::Pod;
using test::condition;
using test::kNoon;
using test::ReschedulerWorld;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

Pod replica(const std::string& name) {
  Pod pod = test::pod_of_size(name, 0, test::figures(1));
  pod.labels["app"] = "x";
  pod.conditions.push_back(condition(policy::kReady, "", "True"));
  return pod;
}
// At least one of them stays.
policy::DisruptionBudget budget(const std::string& name = "db", std::int64_t stay = 1) {
  policy::DisruptionBudget made;
  made.ns = "default";
  made.name = name;
  made.selector = policy::LabelSelector{.match_labels = {{"app", "x"}}, .expressions = {}};
  made.min_available = policy::IntOrPercent{stay};
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
api::AdmissionReview eviction(const std::string& name) {
  return {.uid = "review-of-" + name,
          .resource = "pods",
          .subresource = "eviction",
          .operation = "CREATE",
          .ns = "default",
          .name = name,
          .user = "jane"};
}
api::AdmissionReview deletion(const Pod& pod, const std::string& user) {
  return {.uid = "review-of-" + pod.name,
          .resource = "pods",
          .operation = "DELETE",
          .ns = pod.ns,
          .name = pod.name,
          .pod_uid = pod.uid,
          .user = user};
}
const std::string kRefuseWhenUnsure =
    "apiVersion: elbowroom.dev/v1alpha1\n"
    "kind: ReschedulerConfiguration\n"
    "webhook: {whenUnsure: refuse, deletesBy: {users: [bob], groups: [ops]}}\n";

// Three replicas of an application of which one stays, so that two may go.
struct TwoMayGo : testing::Test {
  explicit TwoMayGo(int replicas = 1) : world(replicas) {
    for (const char* name : {"a", "b", "c"}) world.put(replica(name));
    world.put(budget());
  }
  ReschedulerWorld world;
};
using Reviews = TwoMayGo;
struct ReviewsOfTwoReplicas : TwoMayGo {
  ReviewsOfTwoReplicas() : TwoMayGo(2) {}
};

TEST_F(Reviews, WhatABudgetAllowsIsDebitedBeforeItIsAnswered) {
  world.start();
  const auto answer = world.ask(eviction("a"));
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->allowed) << answer->message;
  const policy::Ledger& ledger = world.budget("db").recent;
  EXPECT_EQ(world.prompt_debits, 1);
  ASSERT_THAT(ledger, SizeIs(1));
  EXPECT_EQ(ledger[0].uid, replica("a").uid);
  EXPECT_THAT(ledger[0].by, HasSubstr("elbowroom-webhook"));
}

TEST_F(Reviews, WhatABudgetDoesNotAllowIsRefusedByItsName) {
  world.start();
  EXPECT_TRUE(world.ask(eviction("a"))->allowed);
  EXPECT_TRUE(world.ask(eviction("b"))->allowed);
  const auto answer = world.ask(eviction("c"));
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->allowed);
  EXPECT_EQ(answer->code, 429);
  EXPECT_EQ(answer->budget, "default/db");
  EXPECT_THAT(answer->message, HasSubstr("default/db"));
  EXPECT_EQ(answer->retry_after, 0s) << "time alone changes nothing";
  EXPECT_THAT(world.budget("db").recent, SizeIs(2));
}

TEST_F(Reviews, ARateSaysWhenTheNextMayGoAndKeepsNobodyWaitingInSilence) {
  world.put(hourly(1));
  world.start();
  EXPECT_TRUE(world.ask(eviction("a"))->allowed);
  const auto answer = world.ask(eviction("b"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->code, 429);
  EXPECT_THAT(answer->message, HasSubstr(api::format_timestamp(kNoon + 1h)));
  EXPECT_EQ(answer->retry_after, 10s);
}

TEST_F(Reviews, APodIsDebitedOnce) {
  world.start();
  EXPECT_TRUE(world.ask(eviction("a"))->allowed);
  EXPECT_TRUE(world.ask(eviction("a"))->allowed);
  EXPECT_THAT(world.budget("db").recent, SizeIs(1));
}

TEST_F(Reviews, WhatAnotherProgramDebitedIsNotDebitedAgain) {
  policy::DisruptionBudget debited = budget();
  debited.recent = {{"a", replica("a").uid, kNoon, "elbowroom-scheduler"},
                    {"b", replica("b").uid, kNoon, "elbowroom"}};
  world.put(debited);
  world.start();
  EXPECT_TRUE(world.ask(eviction("a"))->allowed);
  EXPECT_FALSE(world.ask(eviction("c"))->allowed);
  EXPECT_THAT(world.budget("db").recent, SizeIs(2));
}

TEST_F(Reviews, ADryRunIsToldAndNeverDebited) {
  world.start();
  api::AdmissionReview review = eviction("a");
  review.dry_run = true;
  EXPECT_TRUE(world.ask(review)->allowed);
  EXPECT_THAT(world.budget("db").recent, IsEmpty());
  EXPECT_EQ(world.debit_writes, 0);
  EXPECT_TRUE(world.ask(eviction("a"))->allowed);
  EXPECT_TRUE(world.ask(eviction("b"))->allowed);
  review = eviction("c");
  review.dry_run = true;
  EXPECT_FALSE(world.ask(review)->allowed);
}

TEST_F(Reviews, APodThatNoBudgetIsAskedAboutPasses) {
  Pod going = replica("going");
  going.deletion = kNoon + 30s;
  world.put(going);
  Pod pending = replica("pending");
  pending.phase = policy::Phase::Pending;
  world.put(pending);
  Pod other = replica("other");
  other.labels["app"] = "y";
  world.put(other);
  world.start();
  for (const char* name : {"going", "pending", "other", "gone"}) {
    EXPECT_TRUE(world.ask(eviction(name))->allowed) << name;
  }
  api::AdmissionReview review = eviction("a");
  review.pod_uid = "of another pod";
  EXPECT_TRUE(world.ask(review)->allowed) << "the server refuses it";
  EXPECT_EQ(world.debit_writes, 0);
}

TEST_F(Reviews, OnlyDeletesByThoseThatAreNamedCount) {
  world.put(budget("db", 3));
  world.start();
  EXPECT_TRUE(world.ask(deletion(replica("a"), "bob"))->allowed) << "nothing is configured";
  world.configure(kRefuseWhenUnsure);
  EXPECT_FALSE(world.ask(deletion(replica("a"), "bob"))->allowed);
  EXPECT_TRUE(world.ask(deletion(replica("a"), "jane"))->allowed);
  api::AdmissionReview by_group = deletion(replica("a"), "jane");
  by_group.groups = {"ops"};
  EXPECT_FALSE(world.ask(by_group)->allowed);
  api::AdmissionReview by_name = deletion(replica("a"), "bob");
  by_name.pod_uid.clear();
  EXPECT_EQ(world.ask(by_name)->code, 429) << "the pod of that name is judged";
  by_name.pod_uid = "of a later pod";
  EXPECT_EQ(world.ask(by_name)->code, 503);
}

TEST_F(Reviews, AllBudgetsOverAPodMustAllowIt) {
  world.put(budget("all", 3));
  world.start();
  const auto answer = world.ask(eviction("a"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->budget, "default/all");
  EXPECT_THAT(world.budget("db").recent, IsEmpty());
}

TEST_F(Reviews, ABudgetThatIsNotUnderstoodAllowsNothing) {
  world.start();
  world.tell_all(Unreadable{.kind = "DisruptionBudget", .key = "default/odd", .why = "spec"});
  const auto answer = world.ask(eviction("a"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->code, 429);
  EXPECT_EQ(answer->budget, "default/odd");
}

TEST_F(Reviews, BeforeTheConfigurationIsKnownTheFailurePolicyDecides) {
  EXPECT_EQ(world.ask(eviction("a")), std::nullopt);
  EXPECT_TRUE(world.is_answered(world.last_review()));
}

TEST_F(Reviews, WithoutSeeingEverythingItLetsPassOrRefusesAsConfigured) {
  world.start();
  world.tell_all(Lost{.of = Collection::Pods, .why = "403"});
  auto answer = world.ask(eviction("a"));
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->allowed);
  EXPECT_THAT(answer->warning, HasSubstr("403"));
  world.configure(kRefuseWhenUnsure);
  answer = world.ask(eviction("a"));
  EXPECT_FALSE(answer->allowed);
  EXPECT_EQ(answer->code, 503);
  EXPECT_THAT(world.budget("db").recent, IsEmpty());
  world.tell_all(Back{Collection::Pods});
  EXPECT_TRUE(world.ask(eviction("a"))->allowed);
}

TEST_F(Reviews, ADebitThatCannotBeWrittenIsNotSure) {
  world.configure(kRefuseWhenUnsure);
  world.start();
  world.debit_error = Error{.code = Code::Denied, .message = "no right"};
  const auto answer = world.ask(eviction("a"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->code, 503);
  EXPECT_THAT(answer->message, HasSubstr("no right"));
}

TEST_F(Reviews, AfterFourSecondsItIsAnsweredWhateverHappens) {
  world.configure(kRefuseWhenUnsure);
  world.start();
  world.swallows_debits = true;
  EXPECT_EQ(world.ask(eviction("a")), std::nullopt);
  world.pass(3900ms);
  EXPECT_FALSE(world.is_answered(world.last_review()));
  world.pass(100ms);
  ASSERT_TRUE(world.answer(world.last_review()));
  EXPECT_EQ(world.answer(world.last_review())->code, 503);
}

TEST_F(Reviews, WhoAsksMeanwhileGetsTheSameAnswer) {
  world.start();
  world.swallows_debits = true;
  static_cast<void>(world.ask(eviction("a")));
  static_cast<void>(world.ask(eviction("a")));
  world.pass(5s);
  EXPECT_TRUE(world.answer(1)->allowed);
  EXPECT_TRUE(world.answer(2)->allowed);
  EXPECT_EQ(world.debit_writes, 1);
}

// A tenant's burst must not queue for what its budget cannot allow.
TEST_F(Reviews, WhatWaitsForItsDebitCountsForTheNext) {
  world.start();
  world.swallows_debits = true;
  EXPECT_EQ(world.ask(eviction("a")), std::nullopt);
  EXPECT_EQ(world.ask(eviction("b")), std::nullopt);
  EXPECT_EQ(world.ask(eviction("b")), std::nullopt) << "it waits for the same debit";
  const auto answer = world.ask(eviction("c"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->code, 429);
  EXPECT_EQ(answer->budget, "default/db");
  EXPECT_EQ(answer->retry_after, 1s) << "those that wait may fail";
}

TEST_F(ReviewsOfTwoReplicas, SpendTheSameDisruptionOnce) {
  world.put(budget("db", 2));
  world.start();
  world.deafen(1, true);
  EXPECT_TRUE(world.ask(eviction("a"), 0)->allowed);
  const auto answer = world.ask(eviction("b"), 1);
  ASSERT_TRUE(answer) << "its view is old, and the write says so";
  EXPECT_FALSE(answer->allowed);
  EXPECT_EQ(answer->code, 429);
  EXPECT_THAT(world.budget("db").recent, SizeIs(1));
}

TEST_F(ReviewsOfTwoReplicas, AnswerWithoutLeading) {
  world.start();
  const std::size_t follower = world.reactor(0).leads() ? 1 : 0;
  EXPECT_TRUE(world.ask(eviction("a"), follower)->allowed);
  EXPECT_THAT(world.budget("db").recent, SizeIs(1));
}

// One gives up after four seconds what the other one has relied upon.
TEST_F(ReviewsOfTwoReplicas, DoNotTakeBackWhatTheOtherReliesUpon) {
  world.put(budget("slow"));
  world.configure(kRefuseWhenUnsure);
  world.start();
  EXPECT_TRUE(world.ask(eviction("a"), 0)->allowed);
  EXPECT_TRUE(world.ask(eviction("a"), 1)->allowed);
  for (const char* name : {"db", "slow"}) {
    ASSERT_THAT(world.budget(name).recent, SizeIs(1));
    EXPECT_THAT(world.budget(name).recent[0].by, HasSubstr("replica-1"));
  }
}

TEST_F(Reviews, AReplicaThatEndsIsNotSure) {
  world.configure(kRefuseWhenUnsure);
  world.start();
  world.swallows_debits = true;
  static_cast<void>(world.ask(eviction("a")));
  world.tell_all(control::StopAsked{});
  ASSERT_TRUE(world.answer(1));
  EXPECT_EQ(world.answer(1)->code, 503);
  EXPECT_EQ(world.ask(eviction("b"))->code, 503);
}

}  // namespace
}  // namespace elbowroom::rescheduler
