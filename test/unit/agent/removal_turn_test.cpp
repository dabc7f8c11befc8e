// Which program makes room for a critical pod: two preemptors for one pod are a defect, so a
// restarted agent must not begin where a scheduler may have begun.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "agent/reactor.h"
#include "cri/convert.h"
#include "test/pods.h"

namespace elbowroom::agent {
namespace {

using namespace std::chrono_literals;
using test::node;
using test::resized;
using test::running_pod;

// An agent that starts ten minutes after its machine did, on a full node with a critical pod that
// wants more.
class Life {
 public:
  Life(std::optional<policy::Condition> shown, std::vector<RemovalIntent> intents,
       const std::string& boot = "b-1")
      : reactor_({.node_name = "node-1",
                  .authority = true,
                  .critical_preemption = true,
                  .manage_pod_cgroups = false,
                  .boot = {.id = boot, .at_start = 10min}},
                 {.removals = std::move(intents)}, false) {
    if (shown) dns_.conditions = {*shown};
    const policy::Pod other = running_pod("other", 3500);
    RuntimeSeen runtime;
    for (const policy::Pod& pod : {dns_, other}) {
      runtime.pods[pod.uid].containers["app"] = {
          .id = "c-" + pod.uid,
          .state = policy::RunState::Running,
          .size = cri::resources_for({.requests = *pod.containers[0].allocated_requests})};
    }
    see(NodeSeen{node(4000)});
    see(PodsListed{.pods = {dns_, other}});
    see(std::move(runtime));
  }

  // The Node carries the annotation only from now on, and removals may begin.
  Life& begins_after(std::chrono::milliseconds time) {
    now_ += time;
    policy::Node annotated = node(4000);
    annotated.critical_preemption_by_node = true;
    see(NodeSeen{annotated});
    return *this;
  }
  // The watch shows that of the critical pod, after that time.
  Life& shows(std::chrono::milliseconds time, std::optional<policy::Condition> condition) {
    now_ += time;
    dns_.conditions.clear();
    if (condition) dns_.conditions = {*condition};
    see(PodSeen{dns_});
    return *this;
  }
  // The Node has that much cpu from then on.
  Life& has(std::int64_t cpu_m, std::chrono::milliseconds after = 0ms) {
    now_ += after;
    see(NodeSeen{node(cpu_m)});
    return *this;
  }
  [[nodiscard]] bool removes() const { return reactor_.state().removal.busy(); }
  [[nodiscard]] const Reactor& reactor() const { return reactor_; }

 private:
  void see(auto what) {
    now_ += 1ms;
    std::vector<EffectId> writes;
    std::vector<EffectId> reads;
    for (const Effect& effect : reactor_.handle({{now_, {}}, std::move(what)})) {
      const bool writes_it = std::holds_alternative<SaveCheckpoint>(effect.what) ||
                             std::holds_alternative<WriteStatus>(effect.what);
      if (writes_it) writes.push_back(effect.id);
      if (std::holds_alternative<ReadBudgets>(effect.what)) reads.push_back(effect.id);
    }
    for (const EffectId id : writes) see(Done{.effect = id});
    for (const EffectId id : reads) see(BudgetsRead{.effect = id});
  }

  std::chrono::milliseconds now_{0};
  policy::Pod dns_ = resized(running_pod("dns", 100, 0, 2'000'000'000), 1500);
  Reactor reactor_;
};

policy::Condition pending(const std::string& reason, std::int64_t generation) {
  return {.type = "PodResizePending",
          .status = "True",
          .reason = reason,
          .observed_generation = generation};
}

RemovalIntent intent(std::chrono::milliseconds deferred_at, const std::string& boot = "b-1",
                     std::int64_t generation = 2) {
  return {.preemptor_uid = "uid-dns",
          .generation = generation,
          .victims = {{"uid-gone", "default", "gone"}},
          .boot = boot,
          .deferred_at = deferred_at};
}

TEST(RemovalTurn, WhatStoodBeforeUsIsTheSchedulersUnlessTheDiskKnowsBetter) {
  struct Row {
    std::string name;
    std::optional<policy::Condition> shown;
    std::vector<RemovalIntent> intents;
    std::string boot;
    bool removes;
  };
  const auto deferred = pending("Deferred", 2);
  const std::vector<Row> rows = {
      {"nobody was told before", {}, {}, "b-1", true},
      {"deferred by an earlier life", deferred, {}, "b-1", false},
      {"an earlier resize was", pending("Deferred", 1), {}, "b-1", true},
      {"it was called infeasible", pending("Infeasible", 2), {}, "b-1", true},
      {"deferred 5 s ago", deferred, {intent(10min - 5s)}, "b-1", true},
      {"deferred 21 s ago", deferred, {intent(10min - 21s)}, "b-1", false},
      {"deferred before the machine was started again",
       deferred,
       {intent(10min - 5s, "b-0")},
       "b-1",
       false},
      {"deferred in time to come", deferred, {intent(11min)}, "b-1", false},
      {"another generation was deferred", deferred, {intent(10min - 5s, "b-1", 1)}, "b-1", false},
      {"nobody knows when the machine started", deferred, {intent(10min - 5s, "")}, "", false},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(Life(row.shown, row.intents, row.boot).begins_after(10ms).removes(), row.removes)
        << row.name;
  }
}

TEST(RemovalTurn, ARestartMakesItNoLonger) {
  const auto deferred = pending("Deferred", 2);
  EXPECT_TRUE(Life(deferred, {intent(10min - 5s)}).begins_after(14s).removes());
  EXPECT_FALSE(Life(deferred, {intent(10min - 5s)}).begins_after(16s).removes());
  EXPECT_TRUE(Life({}, {}).begins_after(19s).removes());
  EXPECT_FALSE(Life({}, {}).begins_after(21s).removes());
}

TEST(RemovalTurn, TheIntentOnDiskSaysWhenItWasDeferred) {
  Life life(pending("Deferred", 2), {intent(10min - 30s, "b-1", 1), intent(10min - 5s)});
  life.begins_after(3s);
  const auto& removals = life.reactor().durable().removals;
  ASSERT_EQ(removals.size(), 2U) << "what is over is dropped";
  EXPECT_EQ(removals.back().boot, "b-1");
  EXPECT_EQ(removals.back().deferred_at, 10min - 5s) << "not when it was begun again";
  EXPECT_EQ(removals.back().victims.front().name, "other");
}

TEST(RemovalTurn, WhatWasInfeasibleForAMomentThatNobodySawWasDeferredAllTheTime) {
  const auto removes_after = [](std::chrono::milliseconds time) {
    Life life({}, {});
    life.shows(10ms, pending("Deferred", 2));
    life.has(1000);  // infeasible, and the watch has yet to show it
    return life.has(4000).begins_after(time).removes();
  };
  EXPECT_TRUE(removes_after(15s));
  EXPECT_FALSE(removes_after(21s));
}

// A write that was answered shows in the watch within 5 s, and to other programs maybe before that.
TEST(RemovalTurn, WhatWasWrittenAMomentAgoMayBeSeen) {
  const auto removes_after = [](std::chrono::milliseconds infeasible,
                                std::chrono::milliseconds time) {
    Life life({}, {});
    return life.has(1000).has(4000, infeasible).begins_after(time).removes();
  };
  EXPECT_TRUE(removes_after(4s, 15s));
  EXPECT_FALSE(removes_after(4s, 17s)) << "deferred all the time";
  EXPECT_TRUE(removes_after(6s, 17s)) << "deferred anew";
}

TEST(RemovalTurn, WhatWasShownAsInfeasibleInBetweenIsDeferredAnew) {
  const auto removes_after = [](std::chrono::milliseconds time) {
    Life life({}, {});
    life.shows(10ms, pending("Deferred", 2)).has(1000);
    life.shows(10ms, pending("Infeasible", 2));
    return life.has(4000, 30s).begins_after(time).removes();
  };
  EXPECT_TRUE(removes_after(15s));
  EXPECT_FALSE(removes_after(21s));
}

TEST(RemovalTurn, AnIntentThatIsBegunAgainStandsOnTheDiskOnce) {
  RemovalIntent same = intent(10min - 5s);
  same.victims = {{"uid-other", "default", "other"}};
  Life life(pending("Deferred", 2), {same});
  life.begins_after(3s);
  EXPECT_EQ(life.reactor().durable().removals, std::vector{same});
  ASSERT_TRUE(life.removes());
  EXPECT_EQ(life.reactor().state().removal.progress().stage, RemovalProgress::Stage::Marking)
      << "it is durable already";
}

}  // namespace
}  // namespace elbowroom::agent
