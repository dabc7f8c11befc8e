// The published cases about the scheduler's queue, run on the reactor with both rule sets:
// scheduler_cases.json (deferred_queue, deferred_sequence, two of queue, two of failure_handler).
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "test/checkout.h"
#include "test/scheduler_world.h"

namespace elbowroom::scheduler {
namespace {

using Json = nlohmann::json;
using policy::Pod;
using test::SchedulerWorld;

Json cases() {
  std::ifstream in(std::string(test::kData) + "/tables/scheduler_cases.json");
  return Json::parse(in).at("cases");
}

Pod pod_of(const Json& row) {
  const Json& held = row.value("allocated", row);
  Pod pod = test::running_pod(row.at("name"), held.at("cpu_m"), held.at("mem"), row.at("priority"));
  pod.uid = row.at("uid");
  pod.node = row.at("node");
  pod.started = policy::Time{std::chrono::seconds(row.value("start", 0))};
  const Json labels = row.value("labels", Json::object());
  for (const auto& [key, value] : labels.items()) pod.labels[key] = value;
  if (row.value("resize", "") != "Deferred") return pod;
  return test::deferred(std::move(pod), row.at("cpu_m"), row.at("mem"));
}

// Some rows only name the event: all of them begin like the first one.
void fill(SchedulerWorld& world, const Json& row, const Json& first) {
  const Json& of = row.contains("nodes") ? row : first;
  for (const Json& node : of.at("nodes")) {
    world.put(test::node(node.at("cpu_m"), node.at("mem"), node.at("name")));
  }
  for (const Json& pod : of.at("pods")) world.put(pod_of(pod));
  if (of.contains("preemptor")) world.put(pod_of(of["preemptor"]));
}

Pod sized(Pod pod, std::int64_t cpu_m) {
  policy::Container& app = pod.containers[0];
  app.desired.requests.cpu.value = cpu_m;
  app.allocated_requests = app.actual_requests = app.desired.requests;
  ++pod.generation;
  return pod;
}

void trigger(SchedulerWorld& world, const std::string& what) {
  if (what == "irrelevant 200m->100m") {
    world.put(sized(world.pod("default/irrelevant"), 100));
  } else if (what.starts_with("delete ")) {
    world.remove("default/" + what.substr(7));
  } else if (what == "pod deleted") {
    world.remove("default/deferred");
  } else if (what == "deferred 100m->80m") {
    // The node judges the new size, and it has to wait as well.
    Pod pod = test::resized(world.pod("default/deferred"), 80);
    pod.conditions.at(0).observed_generation = pod.generation;
    world.put(pod);
  } else if (what == "PodResizePending disappears") {
    Pod pod = world.pod("default/deferred");
    pod.conditions.clear();
    world.put(pod);
  } else if (what.ends_with(" policy [] -> [test-policy]")) {
    const std::string name = what.substr(0, what.find(' '));
    policy::Node node = *world.reactor().snapshot().node(name);
    node.resize_preemption_owners = {"test-policy"};
    world.put(node);
  } else {
    FAIL() << "what is \"" << what << "\"?";
  }
}

std::uint64_t attempts(SchedulerWorld& world) {
  const auto& turns = world.reactor().counts().turns;
  return std::accumulate(turns.begin(), turns.end(), std::uint64_t{0});
}

bool is_queued(SchedulerWorld& world) {
  return world.reactor().queue().contains("default/deferred");
}

std::set<std::string> deleted(SchedulerWorld& world) {
  std::set<std::string> names;
  for (const std::string& each : world.writes()) {
    if (each.starts_with("delete default/")) names.insert(each.substr(15));
  }
  return names;
}

ReactorOptions options(policy::RuleSet rules) {
  ReactorOptions of = SchedulerWorld::usual();
  of.rules = rules;
  return of;
}

// The rule sets differ in which pods are removed, and not in what wakes a parked pod, so upstream's
// expectation about wakes is information.
Json expected_of(const Json& row, policy::RuleSet rules) {
  Json expected = row.at("expect");
  if (rules == policy::RuleSet::Upstream && row.contains("expect_upstream")) {
    expected.update(row["expect_upstream"]);
    if (!row["expect"].contains("attemptsIncrease")) expected.erase("attemptsIncrease");
  }
  return expected;
}

class QueueByRules : public ::testing::TestWithParam<policy::RuleSet> {};
INSTANTIATE_TEST_SUITE_P(DeferredQueueCases, QueueByRules,
                         ::testing::Values(policy::RuleSet::Elbowroom, policy::RuleSet::Upstream),
                         [](const auto& which) {
                           return which.param == policy::RuleSet::Upstream ? "Upstream"
                                                                           : "Elbowroom";
                         });

TEST_P(QueueByRules, WhatWakesAndWhatDoesNot) {
  const Json all = cases();
  const Json first = *std::ranges::find(
      all, "deferred_queue", [](const Json& row) { return row.at("area").get<std::string>(); });
  int rows = 0;
  for (const Json& row : all) {
    if (row.at("area") != "deferred_queue") continue;
    ++rows;
    const std::string id = row.at("id");
    SchedulerWorld world(options(GetParam()));
    fill(world, row, first);
    world.start();
    const Json expected = expected_of(row, GetParam());
    if (expected.contains("before")) {
      EXPECT_EQ(is_queued(world), expected["before"].at("inQueue").get<bool>()) << id;
    }
    const std::uint64_t before = attempts(world);
    ASSERT_NO_FATAL_FAILURE(trigger(world, row.at("trigger")));
    if (expected.contains("attemptsIncrease")) {
      EXPECT_EQ(attempts(world) > before, expected["attemptsIncrease"].get<bool>()) << id;
    }
    if (expected.contains("staysInQueue")) {
      EXPECT_EQ(is_queued(world), expected["staysInQueue"].get<bool>()) << id;
    }
    if (expected.contains("evicted")) {
      EXPECT_TRUE(deleted(world).empty()) << id;
    }
    if (!expected.contains("after")) continue;
    const Json& after = expected["after"];
    EXPECT_EQ(is_queued(world), after.at("inQueue").get<bool>()) << id;
    if (after.contains("inCache")) {
      EXPECT_EQ(world.reactor().snapshot().pod("default/deferred").has_value(),
                after["inCache"].get<bool>())
          << id;
    }
  }
  EXPECT_EQ(rows, 8);
}

policy::PodDisruptionBudget budget_of(const Json& row) {
  policy::PodDisruptionBudget budget;
  budget.ns = "default";
  budget.name = "one";
  budget.selector.emplace();
  for (const auto& [key, value] : row.at("selector").items()) {
    budget.selector->match_labels[key] = value;
  }
  budget.disruptions_allowed = row.at("allowed");
  return budget;
}

// By upstream's rules the second pod is removed as well, here as soon as the first is seen
// terminating.
TEST_P(QueueByRules, ASecondLookRemovesNobodyElse) {
  int rows = 0;
  const Json all = cases();
  for (const Json& row : all) {
    if (row.at("area") != "deferred_sequence") continue;
    ++rows;
    const bool upstream = GetParam() == policy::RuleSet::Upstream;
    SchedulerWorld world(options(GetParam()));
    fill(world, row, row);
    world.put(budget_of(row.at("steps").at(0).at("pdbs").at(0)));
    world.start();
    std::set<std::string> gone = deleted(world);
    std::set<std::string> expected = row.at("expect").at("step1Evicts");
    if (!upstream) {
      EXPECT_EQ(gone, expected);
    }
    // Any wake-up: the budget, a pod that arrives, the node, and every time that was named.
    world.put(budget_of(row.at("steps").at(1).at("pdbs").at(0)));
    Pod small = test::running_pod("small", 0, 0, 5);
    small.node = "node1";
    world.put(small);
    policy::Node node = *world.reactor().snapshot().node("node1");
    node.labels["changed"] = "yes";
    world.put(node);
    world.pass(std::chrono::seconds(29));
    const Json& second = upstream ? row.at("expect_upstream").at("step2AlsoEvicts")
                                  : row.at("expect").at("step2Evicts");
    gone.merge(deleted(world));
    expected.merge(second.get<std::set<std::string>>());
    EXPECT_EQ(gone, expected);
  }
  EXPECT_EQ(rows, 1);
}

TEST(QueueCases, TheSafetyNetIsAsWideAsPublished) {
  int rows = 0;
  const Json all = cases();
  for (const Json& row : all) {
    if (row.at("id") != "queue.flush") continue;
    ++rows;
    EXPECT_EQ(Queue::kFlushAfter,
              std::chrono::seconds(row.at("expect").at("flushAfter_s").get<int>()));
  }
  EXPECT_EQ(rows, 1);
}

// What happens to a resize that changed while the deletes of its victims were sent and then failed.
TEST_P(QueueByRules, WhatChangedDuringItsTurnIsJudgedAnew) {
  int rows = 0;
  const Json all = cases();
  for (const Json& row : all) {
    if (row.at("area") != "failure_handler" || row.at("changeDuringCycle") == "bound") continue;
    ++rows;
    SchedulerWorld world(options(GetParam()));
    world.put(test::node(4000));
    world.put(test::running_pod("low", 2000));
    world.put(test::deferred(test::running_pod("deferred", 1000, 0, 1000), 3000));
    world.holds_back = true;
    world.start();
    Pod changed = world.pod("default/deferred");
    if (row["changeDuringCycle"] == "updated") {
      changed.labels["changed"] = "yes";
    } else {
      changed.conditions.clear();
      changed = test::deferred(std::move(changed), 2500);
    }
    const std::int64_t generation = changed.generation;
    world.put(changed);
    world.refuse = [](const std::string&) {
      return Error{Code::Unavailable, "the server is away"};
    };
    world.answer();
    ASSERT_TRUE(is_queued(world)) << row.at("id");
    EXPECT_NE(world.reactor().queue().where("default/deferred"), Queue::Where::InFlight);
    EXPECT_EQ(world.waiting("default/deferred").generation, generation);
    EXPECT_TRUE(deleted(world).empty());
    world.refuse = nullptr;
    world.pass(std::chrono::minutes(2));
    EXPECT_EQ(deleted(world), std::set<std::string>{"low"}) << row.at("id");
  }
  EXPECT_EQ(rows, 2);
}

TEST(QueueCases, ACureThatHappensInFlightCounts) {
  int rows = 0;
  const Json all = cases();
  for (const Json& row : all) {
    if (row.at("id") != "queue.inflight_event") continue;
    ++rows;
    Queue queue;
    const Queue::Time now{1'000};
    queue.add("A", "node1", 0, now);
    ASSERT_TRUE(queue.pop());
    queue.wake("node1", cluster::Change::PodLeft, now);
    queue.park("A", cluster::Change::PodLeft, std::nullopt, now);
    EXPECT_EQ(queue.where("A"), Queue::Where::Active);
  }
  EXPECT_EQ(rows, 1);
}

}  // namespace
}  // namespace elbowroom::scheduler
