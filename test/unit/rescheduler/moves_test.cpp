// Moves by the whole reactor: what is asked for, in which order, and what of it is remembered.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "rescheduler/explain.h"
#include "rescheduler/reactor.h"
#include "test/pods.h"
#include "test/rescheduler_world.h"

namespace elbowroom::rescheduler {
namespace {

using policy::Pod;
using test::ReschedulerWorld;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using namespace std::chrono_literals;

const std::string kOn =
    "apiVersion: elbowroom.dev/v1alpha1\nkind: ReschedulerConfiguration\n"
    "interval: 1m\npolicies: {underutilizedNode: {enabled: true, threshold: 30}}\n";

constexpr const char* kNothingMoved = "{}";

Pod replica(const std::string& name) {
  Pod pod = test::running_pod(name, 1000, 0, 0);
  pod.labels["app"] = "x";
  pod.controller = policy::Owner{.kind = "ReplicaSet", .name = "web", .uid = "uid-of-web"};
  pod.created = test::kNoon - 1h;
  pod.started = test::kNoon - 1h;
  pod.conditions.push_back(test::condition(policy::kReady, "", "True"));
  return pod;
}

// Two pods on a node that is three quarters full, and an empty node beside it.
struct MovesWorld : ReschedulerWorld {
  MovesWorld() {
    for (const char* name : {"node-1", "node-2"}) put(test::node(4000, 64 * test::kGi, name));
    for (const char* name : {"a", "b"}) put(rescheduler::replica(name));
    put(test::running_pod("big", 1000, 0, 100));
    put_rests(kNothingMoved);
    successor_on = [](const Pod&) { return "node-2"; };
  }
};

class MovesTest : public testing::Test {
 protected:
  static void go(ReschedulerWorld& in, const std::string& configuration = kOn) {
    in.configure(configuration);
    in.start();
    in.pass(1s);
  }
  void go(const std::string& configuration = kOn) { go(world, configuration); }

  MovesWorld world;
};

TEST_F(MovesTest, AMoveIsAskedForStepByStepAndTheOwnerRestsBefore) {
  go();
  EXPECT_THAT(world.steps(), ElementsAre("rests", "rests", "try default/b", "avoid node-1",
                                         "evict default/b", "rests"))
      << "the record is claimed first";
  EXPECT_THAT(world.rests(), HasSubstr("uid-of-web"));
  ASSERT_THAT(world.events(), SizeIs(1));
  EXPECT_EQ(world.events()[0].reason, "Rescheduled");
  EXPECT_EQ(world.reactor().counts().moves[0].evicted, 1U);
  EXPECT_EQ(world.reactor().counts().moves[0].promised, 50U);
}

// The record of a move is written before the first step, and meanwhile the pod may change.
TEST_F(MovesTest, APodThatIsNotThereAsItWasIsNotAskedFor) {
  const auto steps_where_it = [](auto changes) {
    MovesWorld of;
    of.before_rests_are_answered = [&of, changes] {
      if (of.steps().size() == 2) changes(of, replica("b"));
    };
    go(of);
    return of.steps();
  };
  const auto becomes = [](auto change) {
    return [change](ReschedulerWorld& of, Pod pod) {
      change(pod);
      of.put(pod);
    };
  };
  const auto refused = ElementsAre("rests", "rests");
  EXPECT_THAT(steps_where_it([](auto&, const Pod&) {}), Contains("try default/b"));
  EXPECT_THAT(steps_where_it([](auto& of, const Pod& pod) { of.remove(pod); }), refused);
  EXPECT_THAT(steps_where_it(becomes([](Pod& pod) { pod.uid = "another"; })), refused);
  EXPECT_THAT(steps_where_it(becomes([](Pod& pod) { pod.node = "node-2"; })), refused);
  EXPECT_THAT(steps_where_it(becomes([](Pod& pod) { pod.deletion = test::kNoon; })), refused);
}

TEST_F(MovesTest, WithoutAConfigurationNothingMoves) {
  world.start();
  world.pass(1h);
  EXPECT_THAT(world.steps(), IsEmpty());
}

TEST_F(MovesTest, ABadConfigurationIsToldOfOnceAndTheOneBeforeStays) {
  go(kOn + "budgetReserve: many\n");
  EXPECT_THAT(world.steps(), IsEmpty());
  ASSERT_THAT(world.events(), SizeIs(1));
  EXPECT_EQ(world.events()[0].kind, control::Subject::ConfigMap);
  EXPECT_THAT(world.events()[0].note, HasSubstr("budgetReserve"));
  world.configure(kOn);
  world.pass(1s);
  EXPECT_THAT(world.steps(), Not(IsEmpty()));
  EXPECT_EQ(world.reactor().moves().settings().trouble(), "");
}

TEST_F(MovesTest, WhereOwnersAreNotFollowedNoPassIsWaitedFor) {
  go();
  world.pass(20s);
  world.tell_all(Lost{.of = Collection::Deployments, .why = "forbidden"});
  world.pass(20min);
  const auto next = world.reactor().next_wake();
  EXPECT_TRUE(!next || *next > world.now()) << "it would turn without end";
  const auto passes = world.reactor().counts().passes;
  world.tell_all(Back{Collection::Deployments});
  EXPECT_EQ(world.reactor().counts().passes, passes + 1) << "the one that was due";
}

TEST_F(MovesTest, TheOwnerRestsAfterwardsAndThenTheNextOneMoves) {
  world.put(test::running_pod("more", 1000, 0, 100));  // node-1 stays crowded
  go();
  EXPECT_THAT(world.steps(), Contains("evict default/b"));
  world.pass(9min);
  EXPECT_THAT(world.steps(), Not(Contains("evict default/a"))) << "the owner rests";
  EXPECT_EQ(world.reactor().counts().moves[0].achieved, 75U);
  world.pass(3min);
  EXPECT_THAT(world.steps(), Contains("evict default/a"));
}

TEST_F(MovesTest, ARestThatIsOverIsForgotten) {
  go();
  world.pass(9min);
  EXPECT_EQ(world.reactor().moves().rests().owners(), 1U);
  world.pass(3min);
  EXPECT_EQ(world.reactor().moves().rests().owners(), 0U);
}

TEST_F(MovesTest, ASuccessorThatIsSeenBeforeTheEvictionIsAnsweredCounts) {
  world.eviction_answered_after = 3s;
  go();
  world.pass(5s);
  EXPECT_EQ(world.reactor().counts().moves[0].evicted, 1U);
  EXPECT_EQ(world.reactor().counts().moves[0].achieved, 50U);
  EXPECT_EQ(world.reactor().moves().under_way(), 0U);
  world.pass(11min);
  EXPECT_EQ(world.reactor().counts().moves[0].pending, 0U);
}

TEST_F(MovesTest, AfterAMoveInVainTheOwnerRestsTwiceAsLong) {
  world.successor_on = [](const Pod&) { return "node-1"; };
  go();
  EXPECT_EQ(world.reactor().counts().moves[0].came_back, 1U);
  const auto evictions = [&] {
    return std::ranges::count_if(world.steps(),
                                 [](const std::string& each) { return each.starts_with("evict"); });
  };
  world.pass(19min);
  EXPECT_EQ(evictions(), 1);
  world.pass(3min);
  EXPECT_EQ(evictions(), 2);
}

TEST_F(MovesTest, APodThatDoesNotComeUpIsCountedAfterTenMinutes) {
  world.successor_on = {};
  go();
  world.pass(11min);
  EXPECT_EQ(world.reactor().counts().moves[0].pending, 1U);
}

TEST_F(MovesTest, WhatTheServerRefusesStaysAndIsToldOnce) {
  world.eviction_error = Error{Code::Exhausted, "the budget needs 2 healthy pods", {}};
  go();
  EXPECT_THAT(world.steps(), ElementsAre("rests", "rests", "try default/b"));
  EXPECT_THAT(world.events()[0].note, HasSubstr("2 healthy pods"));
  EXPECT_EQ(world.reactor().counts().moves[0].blocked, 1U);
  world.eviction_error.reset();
  world.pass(1min);
  EXPECT_THAT(world.steps(), Contains("evict default/b")) << "its owner does not rest";
}

// An exhausted budget of a large workload does not fill its namespace with one event a Pod.
TEST_F(MovesTest, PodsThatOneBudgetBlocksAreOneEventWithTheirCount) {
  policy::PodDisruptionBudget budget;
  budget.ns = "default";
  budget.name = "web";
  budget.selector = policy::LabelSelector{.match_labels = {{"app", "x"}}, .expressions = {}};
  world.put(budget);
  const auto blocked = [&] {
    std::vector<std::string> notes;
    for (const auto& each : world.events()) {
      if (each.reason == "EvictionBlocked") notes.push_back(each.regarding.name + ": " + each.note);
    }
    return notes;
  };
  for (const char* name : {"c", "d"}) {
    Pod pod = replica(name);
    pod.controller->name = name;
    pod.controller->uid = std::string("uid-of-") + name;
    world.put(pod);
  }
  go();
  ASSERT_GE(world.reactor().moves().last_plan().blocked.size(), 2U);
  const std::string others =
      std::to_string(world.reactor().moves().last_plan().blocked.size() - 1) + " other pod";
  EXPECT_THAT(blocked(), ElementsAre(AllOf(HasSubstr("budget default/web"), HasSubstr(others))));
  world.pass(10min);
  EXPECT_THAT(blocked(), SizeIs(1)) << "nothing changed";
}

TEST_F(MovesTest, ABudgetIsDebitedBeforeAndSaysNoTheNextTime) {
  policy::DisruptionBudget budget;
  budget.ns = "default";
  budget.name = "db";
  budget.selector = policy::LabelSelector{.match_labels = {{"app", "x"}}, .expressions = {}};
  budget.rate_disruptions = 1;
  budget.rate_per = 1h;
  budget.generation = 1;
  world.put(budget);
  world.put(test::running_pod("more", 1000, 0, 100));
  go();
  ASSERT_THAT(world.budget("db").recent, SizeIs(1));
  EXPECT_EQ(world.budget("db").recent[0].by, "elbowroom-rescheduler");
  world.pass(30min);
  EXPECT_THAT(world.steps(), Not(Contains("evict default/a")));
  ASSERT_THAT(world.reactor().moves().last_plan().blocked, SizeIs(1));
  EXPECT_THAT(world.reactor().moves().last_plan().blocked[0].by, HasSubstr("default/db"));
}

TEST_F(MovesTest, WithoutItsRecordNothingMovesAndWithALostOneAllRestOnce) {
  world.rests_error = Error{Code::Unavailable, "no answer", {}};
  go();
  EXPECT_THAT(world.steps(), IsEmpty());
  EXPECT_THAT(world.reactor().moves().trouble(), HasSubstr("no answer"));
  world.rests_error.reset();
  world.pass(1min);
  EXPECT_THAT(world.steps(), Contains("evict default/b"));

  ReschedulerWorld other;
  for (const char* name : {"node-1", "node-2"}) other.put(test::node(4000, 64 * test::kGi, name));
  for (const char* name : {"a", "b", "c"}) other.put(replica(name));
  other.put_rests("spoiled");
  other.configure(kOn);
  other.start();
  other.pass(9min);
  EXPECT_THAT(other.steps(), ElementsAre("rests")) << "until when all rest";
  EXPECT_THAT(explain_pod(other.reactor(), "default/b", {other.now(), other.wall()}),
              HasSubstr("all owners rest until"));
  other.pass(2min);
  EXPECT_THAT(other.steps(), Contains("evict default/c"));
}

TEST_F(MovesTest, AnotherLeaderKeepsTheRests) {
  world.put(test::running_pod("more", 1000, 0, 100));
  go();
  ReschedulerWorld next;
  for (const char* name : {"node-1", "node-2"}) next.put(test::node(4000, 64 * test::kGi, name));
  for (const auto& [key, pod] : world.pods()) next.put(pod);
  next.put_rests(world.rests());
  next.configure(kOn);
  next.start();
  next.pass(9min);
  EXPECT_THAT(next.steps(), ElementsAre("rests")) << "which it claims";
}

TEST_F(MovesTest, ARecordThatWasWrittenSinceItWasSeenIsNotWrittenOver) {
  world.put(test::running_pod("more", 1000, 0, 100));
  world.start();
  const std::string rests = R"({"owners":[{"uid":"uid-of-web","name":"Deployment default/web",)"
                            R"("until":"2100-01-01T00:00:00Z","vain":0}],"moves":[]})";
  world.put_rests(rests, false);
  world.configure(kOn);
  world.pass(1min);
  EXPECT_THAT(world.steps(), IsEmpty());
  EXPECT_THAT(world.reactor().moves().trouble(), HasSubstr("changed"));
  world.show_rests();
  world.pass(10min);
  EXPECT_THAT(world.steps(), ElementsAre("rests"));
  EXPECT_EQ(world.reactor().moves().trouble(), "");
  EXPECT_THAT(world.rests(), HasSubstr("2100-01-01"));
}

TEST_F(MovesTest, AMoveCountsForTheHourThoughItsLeaderIsLostMeanwhile) {
  const std::string one = kOn + "maxMovesPerHour: 1\n";
  world.successor_on = nullptr;  // it has not come to rest
  go(one);
  ASSERT_THAT(world.steps(), Contains("evict default/b"));
  ReschedulerWorld next;
  for (const char* name : {"node-1", "node-2"}) next.put(test::node(4000, 64 * test::kGi, name));
  for (const auto& [key, pod] : world.pods()) next.put(pod);
  Pod other = replica("other");
  other.controller->uid = "uid-of-another";
  next.put(other);
  next.put_rests(world.rests());
  next.configure(one);
  next.start();
  next.pass(20min);
  EXPECT_THAT(next.steps(), Not(Contains("evict default/other")));
}

TEST_F(MovesTest, APreferenceWaitsWhileAPodOfTheNodeIsAboutToBeRemoved) {
  policy::Node better = test::node(4000, 64 * test::kGi, "node-2");
  better.labels["zone"] = "b";
  world.put(better);
  Pod pod = replica("a");
  pod.placement.preferred_nodes = {
      {.weight = 100,
       .term = {.labels = {{.key = "zone", .op = policy::NodeOperator::In, .values = {"b"}}},
                .names = {}}}};
  world.put(pod);
  Pod marked = test::running_pod("big", 1000, 0, 100);
  marked.conditions.push_back(test::condition(policy::kDisruptionTarget, "", "True"));
  world.put(marked);
  go("apiVersion: elbowroom.dev/v1alpha1\nkind: ReschedulerConfiguration\n"
     "interval: 1m\npolicies: {affinityPreference: {enabled: true}}\n");
  world.pass(2min);
  EXPECT_THAT(world.steps(), Not(Contains("evict default/a")));
  world.put(test::running_pod("big", 1000, 0, 100));
  world.pass(1min);
  EXPECT_THAT(world.steps(), Contains("evict default/a"));
}

TEST_F(MovesTest, ADryRunWritesNothing) {
  ReschedulerWorld dry(1, true);
  for (const char* name : {"node-1", "node-2"}) dry.put(test::node(4000, 64 * test::kGi, name));
  for (const char* name : {"a", "b", "c"}) dry.put(replica(name));
  dry.put_rests(kNothingMoved);
  dry.configure(kOn);
  dry.start();
  dry.pass(10min);
  EXPECT_THAT(dry.steps(), IsEmpty());
  ASSERT_THAT(dry.events(), Not(IsEmpty()));
  EXPECT_TRUE(dry.events()[0].log_only);
}

TEST_F(MovesTest, APodIsExplained) {
  world.put(test::running_pod("more", 1000, 0, 100));
  go();
  const auto why = [&](const std::string& pod) {
    return explain_pod(world.reactor(), pod, {world.now(), world.wall()});
  };
  EXPECT_THAT(why("default/a"),
              AllOf(HasSubstr("rests until"), HasSubstr("ReplicaSet default/web")));
  EXPECT_THAT(why("default/big"), HasSubstr("no controller"));
}

}  // namespace
}  // namespace elbowroom::rescheduler
