// A node that makes room for a critical pod leaves alone what hard disruption budgets keep, and
// tells the budgets over what went.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <string>
#include <vector>

#include "agent/reactor.h"
#include "cri/convert.h"
#include "test/node_world.h"
#include "test/pods.h"

namespace elbowroom::agent {
namespace {

using namespace std::chrono_literals;
using test::kNoon;
using test::node;
using test::resized;
using test::running_pod;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

policy::DisruptionBudget budget(const std::string& name, bool hard, std::int64_t allowed) {
  policy::DisruptionBudget made;
  made.ns = "default";
  made.name = name;
  made.uid = "uid-" + name;
  made.selector = policy::LabelSelector{.match_labels = {{"app", name}}, .expressions = {}};
  made.max_unavailable = policy::IntOrPercent{1};
  made.hard = hard;
  made.generation = 1;
  made.status = {.disruptions_allowed = allowed, .observed_time = kNoon, .observed_generation = 1};
  return made;
}

// A full node with a critical pod that wants 1000m more, and pods a, b and c, of which the smallest
// that is enough goes: a before b before c.
class WallsTest : public testing::Test {
 protected:
  WallsTest() {
    for (const char* name : {"a", "b", "c"}) {
      policy::Pod pod = running_pod(name, 1000 + 100 * (name[0] - 'a'));
      pod.labels["app"] = name;
      pods.push_back(pod);
    }
    pods.push_back(resized(running_pod("dns", 1000, 0, 2'000'000'000), 2000));
  }

  void begin() {
    RuntimeSeen runtime;
    for (const policy::Pod& pod : pods) {
      runtime.pods[pod.uid].containers["app"] = {
          .id = "c-" + pod.uid,
          .state = policy::RunState::Running,
          .size = cri::resources_for({.requests = *pod.containers[0].allocated_requests})};
    }
    policy::Node full = node(4300);
    full.critical_preemption_by_node = true;
    see(NodeSeen{full});
    see(PodsListed{.pods = pods});
    see(std::move(runtime));
  }
  void pass(std::chrono::milliseconds time) {
    now += time;
    see(TimePassed{});
  }

  void see(decltype(Observation::what) what) {
    std::deque<decltype(Observation::what)> waiting;
    waiting.push_back(std::move(what));
    while (!waiting.empty()) {
      now += 1ms;
      const Observation seen{{now, kNoon + now}, std::move(waiting.front())};
      waiting.pop_front();
      for (const Effect& effect : reactor.handle(seen)) {
        waiting.push_back(
            std::visit([&](const auto& done) { return answer(effect.id, done); }, effect.what));
      }
      while (!waiting.empty() && std::holds_alternative<TimePassed>(waiting.front())) {
        waiting.pop_front();
      }
    }
  }

  using What = decltype(Observation::what);
  What answer(EffectId id, const ReadBudgets& read) {
    reads.push_back(read.ns);
    if (trouble) return Failed{id, *trouble};
    return BudgetsRead{.effect = id, .budgets = budgets, .server = kNoon + now};
  }
  What answer(EffectId id, const DeleteVictim& victim) {
    if (!victim.dry_run) deleted.push_back(victim.victim.name);
    return Done{.effect = id};
  }
  // The runtime does not answer.
  static What answer(EffectId /*id*/, const Actuate& /*step*/) { return TimePassed{}; }
  What answer(EffectId id, const EnterVictim& enter) {
    entered.push_back(enter.victim.name + " in " + enter.budget.name);
    return Done{.effect = id};
  }
  What answer(EffectId /*id*/, const EmitEvent& event) {
    if (event.reason == "EvictionBlocked") blocked.push_back(event.note);
    return TimePassed{};
  }
  What answer(EffectId id, const auto& /*other*/) { return Done{.effect = id}; }

  std::vector<policy::Pod> pods;
  std::vector<policy::DisruptionBudget> budgets;
  std::optional<Error> trouble;
  std::vector<std::string> reads;
  std::vector<std::string> deleted;
  std::vector<std::string> entered;
  std::vector<std::string> blocked;
  std::chrono::milliseconds now{0};
  Reactor reactor{{.node_name = "node-1",
                   .authority = true,
                   .critical_preemption = true,
                   .manage_pod_cgroups = false,
                   .boot = {.id = "b", .at_start = 10min}},
                  {},
                  false};
};

TEST_F(WallsTest, WithoutBudgetsTheSmallestPodThatIsEnoughGoes) {
  begin();
  EXPECT_THAT(reads, ElementsAre("default"));
  EXPECT_THAT(deleted, ElementsAre("a"));
  EXPECT_THAT(entered, IsEmpty());
}

TEST_F(WallsTest, WhileAShrinkMakesRoomNoPodGoesForAMinute) {
  pods.back() = running_pod("dns", 1000, 0, 2'000'000'000);
  begin();
  pass(40s);
  see(PodSeen{resized(pods[2], 200)});
  pass(45s);
  see(PodSeen{resized(pods[3], 2000)});
  EXPECT_THAT(deleted, IsEmpty());
  pass(14s);
  EXPECT_THAT(deleted, IsEmpty());
  pass(2s);
  EXPECT_THAT(deleted, ElementsAre("a")) << "the shrink is stuck";
}

TEST_F(WallsTest, AHardBudgetThatAllowsNothingKeepsItsPods) {
  budgets = {budget("a", true, 0), budget("b", false, 0)};
  begin();
  EXPECT_THAT(deleted, ElementsAre("b")) << "a soft one is no wall";
  EXPECT_THAT(entered, ElementsAre("b in b"));
}

TEST_F(WallsTest, WhatGoesIsEnteredInAllBudgetsOverIt) {
  budgets = {budget("a", true, 1), budget("all", false, 0), budget("c", true, 1)};
  budgets[1].selector = policy::LabelSelector{};
  begin();
  EXPECT_THAT(deleted, ElementsAre("a"));
  EXPECT_THAT(entered, UnorderedElementsAre("a in a", "a in all"));
}

TEST_F(WallsTest, NobodyGoesWhereAllAreKeptAndTheOwnerIsToldOnce) {
  for (const char* name : {"a", "b", "c"}) budgets.push_back(budget(name, true, 0));
  begin();
  pass(6s);
  pass(6s);
  EXPECT_THAT(deleted, IsEmpty());
  EXPECT_GE(reads.size(), 2U) << "what they allow is asked for again";
  EXPECT_THAT(blocked, ElementsAre(HasSubstr("hard disruption budgets keep them")));
  budgets[1].status.disruptions_allowed = 1;
  pass(6s);
  EXPECT_THAT(deleted, ElementsAre("b"));
}

TEST_F(WallsTest, NobodyGoesWhileBudgetsCannotBeRead) {
  trouble = Error{Code::Denied, "403 Forbidden", {}};
  begin();
  pass(6s);
  EXPECT_THAT(deleted, IsEmpty());
  EXPECT_THAT(blocked, ElementsAre(HasSubstr("not known what disruption budgets allow")));
  trouble.reset();
  pass(6s);
  EXPECT_THAT(deleted, ElementsAre("a"));
}

TEST_F(WallsTest, WithoutTheKindThereAreNoBudgets) {
  trouble = Error{Code::NotFound, "404 page not found", {}};
  begin();
  EXPECT_THAT(deleted, ElementsAre("a"));
}

TEST_F(WallsTest, AStatusThatNobodyKeepsAllowsNothing) {
  for (const char* name : {"a", "b", "c"}) budgets.push_back(budget(name, true, 5));
  for (auto& each : budgets) each.status.observed_time = kNoon - 11min;
  begin();
  EXPECT_THAT(deleted, IsEmpty());
  EXPECT_THAT(blocked, Contains(HasSubstr("hard disruption budgets keep them")));
}

}  // namespace
}  // namespace elbowroom::agent
