// A stale watch never makes the scheduler remove a pod: the API server's own state of the resize
// decides.
#include "scheduler/removal/confirmation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "policy/model/removal_mark.h"
#include "policy/resize/resize_conditions.h"
#include "test/scheduler_world.h"

namespace elbowroom::scheduler {
namespace {

using policy::Pod;
using std::chrono::seconds;
using test::deferred;
using test::running_pod;
using test::SchedulerWorld;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Pod web() { return deferred(running_pod("web", 1000, 0, 100), 2000); }

// Resized once more, and Deferred again.
Pod grown(Pod pod) {
  pod.conditions.clear();
  return deferred(std::move(pod), 3000);
}

// What the API server may know when it is asked.
struct Row {
  std::string name{};
  std::function<void(Pod&)> change{};
  std::string why{};  // "": the same resize
};

std::vector<Row> rows() {
  return {
      {"same", [](Pod&) {}, ""},
      {"same_in_other_words", [](Pod& pod) { pod.conditions[0].message = "still no room"; }, ""},
      {"uid_changed", [](Pod& pod) { pod.uid = "uid-other"; }, "another pod has its name"},
      {"grown", [](Pod& pod) { pod = grown(std::move(pod)); }, "generation 3, not 2"},
      {"ended", [](Pod& pod) { pod.conditions.clear(); }, "does not wait any more"},
      {"infeasible", [](Pod& pod) { pod.conditions[0].reason = "Infeasible"; },
       "does not wait any more"},
      {"not_deferred", [](Pod& pod) { pod.conditions[0].status = "False"; },
       "does not wait any more"},
      {"leaving", [](Pod& pod) { pod.deletion = policy::Time{seconds(1)}; },
       "does not wait any more"},
      {"finished", [](Pod& pod) { pod.phase = policy::Phase::Failed; }, "does not wait any more"},
      {"moved", [](Pod& pod) { pod.node = "node-9"; }, "on node node-9"},
      {"forbidden",
       [](Pod& pod) {
         pod.conditions.push_back(
             {.type = std::string(policy::kPodResizePreemptionDisabled), .status = "True"});
       },
       "nobody may be removed"},
      {"forbidden_by_the_node",
       [](Pod& pod) {
         pod.conditions.push_back({.type = std::string(policy::kPodResizePreemptionDisabled),
                                   .status = "True",
                                   .reason = "PreemptionDisabledByNodePolicy"});
       },
       "nobody may be removed"},
      {"other_room", [](Pod& pod) { pod.containers[0].actual_requests->cpu.value = 1500; },
       "other room"},
  };
}

class Confirmation : public testing::TestWithParam<Row> {};

TEST_P(Confirmation, Tells) {
  const Pod seen = web();
  const Preemptor preemptor{.key = policy::key_of(seen),
                            .uid = seen.uid,
                            .generation = seen.generation,
                            .node = seen.node};
  Pod now = seen;
  GetParam().change(now);
  const std::string why = change_since(preemptor, seen, now);
  if (GetParam().why.empty()) {
    EXPECT_EQ(why, "");
  } else {
    EXPECT_THAT(why, HasSubstr(GetParam().why));
  }
}

TEST(ConfirmationOfAPolicy, AConditionCountsUntilItOutlivesThePolicyOfTheNode) {
  for (const char* reason : {"PreemptionDisabledByNodePolicy", "Another"}) {
    Pod now = web();
    now.conditions.push_back({.type = std::string(policy::kPodResizePreemptionDisabled),
                              .status = "True",
                              .reason = reason});
    const Preemptor preemptor{
        .key = policy::key_of(now), .uid = now.uid, .generation = now.generation, .node = now.node};
    policy::Node node = test::node(4000);
    node.resize_preemption_owners = {"team"};
    policy::drop_outlived_policy(now, node);
    EXPECT_THAT(change_since(preemptor, now, now), HasSubstr("nobody may be removed")) << reason;
    node.resize_preemption_owners.clear();
    policy::drop_outlived_policy(now, node);
    const bool is_foreign = std::string_view(reason) == "Another";
    EXPECT_EQ(change_since(preemptor, now, now).empty(), !is_foreign) << reason;
  }
}

// The same through the reactor: the watch shows no change.
TEST_P(Confirmation, DecidesWhetherPodsGo) {
  ReactorOptions options = SchedulerWorld::usual();
  options.leader_elect = true;
  options.elector.identity = "two";
  SchedulerWorld world(options);
  world.put(test::node(4000));
  world.put(web());
  world.put(running_pod("batch", 3000, 0, 10));
  world.start();
  world.lags = true;
  Pod now = world.pod("default/web");
  GetParam().change(now);
  world.put(now);
  world.tell(LeaseSeen{});
  if (GetParam().why.empty()) {
    EXPECT_THAT(world.writes(),
                ElementsAre("lease two", "mark default/batch", "delete default/batch"));
    return;
  }
  EXPECT_THAT(world.writes(),
              ElementsAre("lease two", "mark default/batch", "clear default/batch"));
  EXPECT_FALSE(policy::removal_mark(world.pod("default/batch")));
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::Outdated);
  EXPECT_THAT(world.waiting("default/web").message, HasSubstr(GetParam().why));
}

INSTANTIATE_TEST_SUITE_P(Answers, Confirmation, testing::ValuesIn(rows()),
                         [](const auto& row) { return row.param.name; });

// ---- no answer ----

auto refusal_of(const std::string& effect, Error error) {
  return [effect, error](const std::string& what) -> std::optional<Error> {
    if (what != effect) return std::nullopt;
    return error;
  };
}

TEST(UnansweredConfirmation, OneThatIsGoneNeedsNoRoom) {
  SchedulerWorld world;
  world.put(test::node(4000));
  world.put(web());
  world.put(running_pod("batch", 3000, 0, 10));
  world.refuse = refusal_of("confirm default/web", {Code::NotFound, "pods \"web\" not found", {}});
  world.start();
  EXPECT_THAT(world.writes(), ElementsAre("mark default/batch", "clear default/batch"));
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::Outdated);
}

TEST(UnansweredConfirmation, WithoutTheRightNobodyGoesAndTheOwnerIsTold) {
  SchedulerWorld world;
  world.put(test::node(4000));
  world.put(web());
  world.put(running_pod("batch", 3000, 0, 10));
  world.refuse = refusal_of("confirm default/web",
                            {Code::Denied, "get pod default/web: 403: cannot get pods", {}});
  world.start();
  EXPECT_THAT(world.done(),
              ElementsAre("mark default/batch", "confirm default/web", "clear default/batch",
                          HasSubstr("No room is made for the resize: nobody was removed: get pod "
                                    "default/web: 403: cannot get pods")));
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::Refused);
  EXPECT_EQ(world.reactor().counts().refused, 1);
}

TEST(UnansweredConfirmation, AServerInTroubleIsAskedAgain) {
  for (const char* why : {"500: boom", "timed out after 5 s"}) {
    SchedulerWorld world;
    world.put(test::node(4000));
    world.put(web());
    world.put(running_pod("batch", 3000, 0, 10));
    world.refuse = refusal_of("confirm default/web", {Code::Unavailable, why, {}});
    world.start();
    EXPECT_THAT(world.writes(), ElementsAre("mark default/batch", "clear default/batch"));
    EXPECT_EQ(world.waiting("default/web").result, TurnResult::Failed);
    world.refuse = nullptr;
    world.pass(seconds(2));
    EXPECT_THAT(world.writes(), ElementsAre("mark default/batch", "delete default/batch"));
  }
}

TEST(UnansweredConfirmation, NobodyGoesBeforeIt) {
  SchedulerWorld world;
  world.put(test::node(4000));
  world.put(web());
  world.put(running_pod("batch", 3000, 0, 10));
  world.keeps_back = "confirm ";
  world.start();
  EXPECT_THAT(world.writes(), ElementsAre("mark default/batch"));
  world.pass(seconds(5));
  EXPECT_THAT(world.writes(), IsEmpty());
  world.release();
  EXPECT_THAT(world.writes(), ElementsAre("delete default/batch"));
}

// ---- a watch that lags ----

TEST(LaggingWatch, IsTriedMoreAndMoreRarelyUntilItShowsTheEnd) {
  ReactorOptions options = SchedulerWorld::usual();
  options.leader_elect = true;
  options.elector.identity = "two";
  SchedulerWorld world(options);
  world.put(test::node(4000));
  world.put(web());
  world.put(running_pod("batch", 3000, 0, 10));
  world.start();
  world.lags = true;
  world.put(running_pod("web", 2000, 0, 100));
  world.tell(LeaseSeen{});
  world.pass(seconds(20));
  EXPECT_EQ(world.reactor().counts().victims, 0);
  EXPECT_EQ(world.reactor().counts().turns[static_cast<std::size_t>(TurnResult::Outdated)], 5)
      << "at 0, 1, 3, 7 and 15 s";
  world.catch_up();
  EXPECT_TRUE(world.reactor().waiting().empty());
  EXPECT_FALSE(policy::removal_mark(world.pod("default/batch")));
  EXPECT_EQ(world.reactor().counts().victims, 0);
}

TEST(LaggingWatch, WhatItShowsAtLastIsJudgedAtOnce) {
  ReactorOptions options = SchedulerWorld::usual();
  options.leader_elect = true;
  options.elector.identity = "two";
  SchedulerWorld world(options);
  world.put(test::node(4000));
  world.put(web());
  world.put(running_pod("batch", 3000, 0, 10));
  world.start();
  world.lags = true;
  world.put(grown(web()));
  world.tell(LeaseSeen{});
  EXPECT_EQ(world.reactor().counts().victims, 0);
  static_cast<void>(world.writes());
  world.catch_up();
  const auto writes = world.writes();
  EXPECT_EQ(std::ranges::count(writes, "delete default/batch"), 1);
  EXPECT_EQ(writes.back(), "delete default/batch");
}

TEST(LaggingWatch, AnAnswerFromBeforeItWasLostIsAskedForAgain) {
  SchedulerWorld world;
  world.put(test::node(4000));
  world.put(web());
  world.put(running_pod("batch", 3000, 0, 10));
  world.holds_back = true;
  world.start();
  world.tell(Lost{Collection::Pods, "connection refused"});
  world.answer();
  EXPECT_THAT(world.writes(), ElementsAre("mark default/batch"));
  world.lags = true;
  world.put(running_pod("web", 2000, 0, 100));
  world.tell(Back{Collection::Pods});
  EXPECT_THAT(world.writes(), ElementsAre("clear default/batch"));
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::Outdated);
}

}  // namespace
}  // namespace elbowroom::scheduler
