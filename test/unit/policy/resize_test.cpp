#include "policy/resize/resize.h"

#include <gtest/gtest.h>

#include "policy/resize/resize_conditions.h"
#include "policy/resize/retry_order.h"

namespace elbowroom::policy {
namespace {

constexpr std::int64_t kGi = std::int64_t{1} << 30;

Resources amounts(std::int64_t cpu_m, std::int64_t memory) {
  Resources of;
  of.cpu.value = cpu_m;
  of.memory.value = memory;
  return of;
}

Node node(std::int64_t cpu_m, std::int64_t memory) {
  Node n;
  n.name = "node1";
  n.allocatable = amounts(cpu_m, memory);
  return n;
}

Pod pod(const Resources& desired, const Resources& allocated) {
  Pod p;
  p.ns = "default";
  p.name = p.uid = "web";
  p.generation = 2;
  p.node = "node1";
  p.phase = Phase::Running;
  Container c;
  c.name = "app";
  c.desired.requests = desired;
  c.allocated_requests = c.actual_requests = allocated;
  c.state = RunState::Running;
  p.containers.push_back(c);
  return p;
}

TEST(DecideResize, ExactlyEnoughRoomIsAllocated) {
  EXPECT_EQ(decide_resize(node(4000, 8 * kGi), pod(amounts(2000, kGi), amounts(1000, kGi)),
                          amounts(2000, kGi), {})
                .verdict,
            Verdict::Allocated);
}

TEST(DecideResize, OneMillicoreShortIsDeferredWithUpstreamsText) {
  const ResizeDecision got = decide_resize(
      node(4000, 8 * kGi), pod(amounts(2000, kGi), amounts(1000, kGi)), amounts(2001, kGi), {});
  EXPECT_EQ(got.verdict, Verdict::Deferred);
  EXPECT_EQ(got.reason, "OutOfcpu");
  EXPECT_EQ(got.message,
            "Node didn't have enough resource: cpu, requested: 2000, used: 2001, capacity: 4000");
  ASSERT_EQ(got.shortages.size(), 1U);
  EXPECT_EQ(got.shortages[0].lacking, 1);
}

TEST(DecideResize, ShrinkIsNeverDeferredOnAnOverfullNode) {
  EXPECT_EQ(decide_resize(node(1000, kGi), pod(amounts(1500, kGi), amounts(3000, kGi)),
                          amounts(9000, 9 * kGi), {})
                .verdict,
            Verdict::Allocated);
}

TEST(DecideResize, ShrinkingOneResourceDoesNotCarryTheOtherIn) {
  const ResizeDecision got =
      decide_resize(node(4000, 4 * kGi), pod(amounts(500, 3 * kGi), amounts(1000, kGi)),
                    amounts(2000, 2 * kGi), {});
  EXPECT_EQ(got.verdict, Verdict::Deferred);
  EXPECT_EQ(got.reason, "OutOfmemory");
}

TEST(DecideResize, MemoryAboveAllocatableIsReportedBeforeCpu) {
  const ResizeDecision got =
      decide_resize(node(4000, 4 * kGi), pod(amounts(5000, 5 * kGi), amounts(1000, kGi)), {}, {});
  EXPECT_EQ(got.verdict, Verdict::Infeasible);
  EXPECT_EQ(got.message,
            "Node didn't have enough capacity: memory, requested: 5368709120, capacity: "
            "4294967296");
}

TEST(DecideResize, SumsThatLeave64BitsCountAsTooLarge) {
  Pod own = pod(amounts(kMaxAmount, kGi), amounts(1000, kGi));
  own.containers.push_back(own.containers[0]);
  own.containers[1].name = "b";
  EXPECT_EQ(decide_resize(node(kMaxAmount, kGi * 8), own, {}, {}).verdict, Verdict::Infeasible);
  EXPECT_EQ(decide_resize(node(kMaxAmount, kGi * 8), pod(amounts(2000, kGi), amounts(1000, kGi)),
                          amounts(kMaxAmount, 0), {})
                .verdict,
            Verdict::Deferred);
}

TEST(DecideResize, ATotalOfExactlyTheLargestAmountFitsIntoIt) {
  const Pod own = pod(amounts(kMaxAmount, kGi), amounts(1000, kGi));
  EXPECT_EQ(decide_resize(node(kMaxAmount, kGi * 8), own, {}, {}).verdict, Verdict::Allocated);
  EXPECT_EQ(decide_resize(node(kMaxAmount, kGi * 8), own, amounts(1, 0), {}).verdict,
            Verdict::Deferred);
  EXPECT_EQ(decide_resize(node(kMaxAmount - 1, kGi * 8), own, {}, {}).verdict, Verdict::Infeasible);
  const Pod less = pod(amounts(kMaxAmount - 7, kGi), amounts(1000, kGi));
  EXPECT_EQ(decide_resize(node(kMaxAmount, kGi * 8), less, amounts(7, 0), {}).verdict,
            Verdict::Allocated);
}

TEST(DecideResize, LimitOnlyChangeIsAResize) {
  Pod p = pod(amounts(10, 0), amounts(10, 0));
  p.containers[0].desired.limits = amounts(20, 0);
  p.containers[0].actual_limits = amounts(10, 0);
  EXPECT_EQ(decide_resize(node(1000, kGi), p, amounts(1000, 0), {}).verdict, Verdict::Allocated);
}

TEST(DecideResize, StaticManagersRefuseBeforeAllocatable) {
  Pod p = pod(amounts(9000, kGi), amounts(1000, kGi));
  p.qos_in_status = Qos::Guaranteed;
  EXPECT_EQ(decide_resize(node(4000, 4 * kGi), p, {}, {.static_cpu = true}).detail,
            "guaranteed_pod_cpu_manager_static_policy");
  EXPECT_EQ(decide_resize(node(4000, 4 * kGi), p, {}, {.static_memory = true}).detail,
            "insufficient_node_allocatable");
}

// Without a figure in its status, a pod-level request counts as allocated.
TEST(DecideResize, StaticManagersDoNotRefuseAPodLevelRequestThatStays) {
  Pod p = pod(amounts(1000, 2 * kGi), amounts(1000, kGi));
  p.qos_in_status = Qos::Guaranteed;
  p.pod_level.desired.requests = amounts(1500, 3 * kGi);
  EXPECT_EQ(decide_resize(node(4000, 4 * kGi), p, {}, {.static_cpu = true}).verdict,
            Verdict::Allocated);
  p.pod_level.allocated_requests = amounts(1000, 3 * kGi);
  EXPECT_EQ(decide_resize(node(4000, 4 * kGi), p, {}, {.static_cpu = true}).detail,
            "guaranteed_pod_cpu_manager_static_policy");
}

TEST(RaisedResources, OfThoseThatTheNodeDoesNotListOnlyKubernetesOwnCount) {
  Totals totals;
  for (const char* name :
       {"cpu", "memory", "ephemeral-storage", "example.com/gpu", "hugepages-2Mi"}) {
    set_amount(totals.desired, name, 2);
  }
  Node node;
  EXPECT_EQ(raised_resources(node, totals),
            (std::vector<std::string_view>{"cpu", "memory", "ephemeral-storage", "hugepages-2Mi"}));
  set_amount(node.allocatable, "example.com/gpu", 1);
  EXPECT_EQ(raised_resources(node, totals).size(), 5U);
}

TEST(DecideResize, SwapRefusesOnlyChangedMemoryRequestsThatDoNotRestart) {
  Pod p = pod(amounts(1000, 2 * kGi), amounts(1000, kGi));
  p.containers[0].would_swap = true;
  EXPECT_EQ(decide_resize(node(4000, 4 * kGi), p, {}, {}).detail, "swap_limitation");
  p.containers[0].memory_resize = ResizePolicy::RestartContainer;
  EXPECT_EQ(decide_resize(node(4000, 4 * kGi), p, {}, {}).verdict, Verdict::Allocated);
}

TEST(Conditions, AllocatedRenewsInProgressAndClearsPending) {
  Pod p = pod(amounts(2000, 0), amounts(1000, 0));
  p.conditions = {{.type = "PodResizeInProgress", .status = "True", .message = "old error"},
                  {.type = "PodResizePending", .status = "True", .reason = "Deferred"}};
  const Time now{std::chrono::seconds(7)};
  const ResizeConditions after =
      conditions_after_verdict(p, node(4000, 0), {.verdict = Verdict::Allocated}, now);
  EXPECT_FALSE(after.pending);
  ASSERT_TRUE(after.in_progress);
  EXPECT_EQ(after.in_progress->message, "");
  EXPECT_EQ(after.in_progress->observed_generation, 2);
}

TEST(Conditions, ANewMessageAloneIsNoEventAndKeepsTheTransition) {
  Pod p = pod(amounts(2000, 0), amounts(1000, 0));
  const Time then{std::chrono::seconds(3)};
  p.conditions = {{.type = "PodResizePending",
                   .status = "True",
                   .reason = "Deferred",
                   .message = "earlier",
                   .observed_generation = 2,
                   .last_transition = then}};
  const ResizeConditions after =
      conditions_after_verdict(p, node(4000, 0), {.verdict = Verdict::Deferred, .message = "later"},
                               then + std::chrono::seconds(9));
  EXPECT_FALSE(after.pending_changed);
  EXPECT_EQ(after.pending->message, "later");
  EXPECT_EQ(after.pending->last_transition, then);
  p.conditions[0].last_transition.reset();
  EXPECT_EQ(
      conditions_after_verdict(p, node(4000, 0), {.verdict = Verdict::Deferred, .message = "later"},
                               then + std::chrono::seconds(9))
          .pending->last_transition,
      then + std::chrono::seconds(9))
      << "where none is known";
}

// An API server before 1.34 keeps no observedGeneration.
TEST(Conditions, OneWithoutAGenerationIsTheSame) {
  Pod p = pod(amounts(2000, 0), amounts(1000, 0));
  p.conditions = {{.type = "PodResizePending", .status = "True", .reason = "Deferred"}};
  const ResizeDecision deferred{.verdict = Verdict::Deferred, .message = "later"};
  EXPECT_FALSE(conditions_after_verdict(p, node(4000, 0), deferred, Time{}).pending_changed);
  p.conditions[0].observed_generation = p.generation - 1;
  EXPECT_TRUE(conditions_after_verdict(p, node(4000, 0), deferred, Time{}).pending_changed);
}

TEST(Conditions, NodePolicySetsReplacesAndClears) {
  Pod p = pod(amounts(2000, 0), amounts(1000, 0));
  p.conditions = {
      {.type = "PodResizePreemptionDisabled", .status = "True", .reason = "PreemptionDisabled"}};
  Node n = node(1000, 0);
  const Time now{};
  n.resize_preemption_owners = {"a.dev/x"};
  const auto stands = preemption_disabled_condition(p, n, true, now);
  ASSERT_TRUE(stands);
  EXPECT_EQ(stands->reason, "PreemptionDisabledByNodePolicy");
  EXPECT_EQ(stands->message,
            "Preemption for in-place pod resize is disabled on node 'node1' by preemption policy.");
  p.conditions = {*stands};
  EXPECT_EQ(preemption_disabled_condition(p, n, true, now), stands);
  EXPECT_FALSE(preemption_disabled_condition(p, n, false, now));
  EXPECT_FALSE(preemption_disabled_condition(p, node(1000, 0), true, now));
}

TEST(Conditions, AnotherWritersPreemptionDisabledStaysWhileItIsTrue) {
  Node with_owner = node(1000, 0);
  with_owner.resize_preemption_owners = {"a.dev/x"};
  // The reason of an early draft is replaced by the policy, and is not removed without one.
  for (const std::string reason : {"Maintenance", "PreemptionDisabled", ""}) {
    for (const std::string status : {"True", "False", "Unknown"}) {
      Pod p = pod(amounts(2000, 0), amounts(1000, 0));
      p.conditions = {{.type = "PodResizePreemptionDisabled", .status = status, .reason = reason}};
      const bool holds = status == "True" && reason != "PreemptionDisabled";
      EXPECT_EQ(preemption_disabled_by_others(p), holds);
      for (const bool deferred : {true, false}) {
        for (const Node& on : {node(1000, 0), with_owner}) {
          const auto after = preemption_disabled_condition(p, on, deferred, Time{});
          ASSERT_TRUE(after) << status;
          const bool replaced = deferred && disables_resize_preemption(on) && !holds;
          EXPECT_EQ(after->reason, replaced ? "PreemptionDisabledByNodePolicy" : reason);
          EXPECT_EQ(after->status, replaced ? "True" : status);
        }
      }
    }
  }
}

TEST(Order, NonIncreasingThenPriorityThenGuaranteedThenLongestPending) {
  Pod shrink = pod(amounts(500, 0), amounts(1000, 0));
  Pod high = pod(amounts(1500, 0), amounts(1000, 0));
  high.priority = 100;
  Pod guaranteed = pod(amounts(1500, 0), amounts(1000, 0));
  guaranteed.qos_in_status = Qos::Guaranteed;
  Pod waiting = pod(amounts(1500, 0), amounts(1000, 0));
  waiting.conditions = {{.type = "PodResizePending", .last_transition = Time{}}};
  const Pod latest = pod(amounts(1500, 0), amounts(1000, 0));
  EXPECT_LT(retry_key(shrink, 9), retry_key(high, 1));
  EXPECT_LT(retry_key(high, 9), retry_key(guaranteed, 1));
  EXPECT_LT(retry_key(guaranteed, 9), retry_key(waiting, 1));
  EXPECT_LT(retry_key(waiting, 9), retry_key(latest, 1));
}

}  // namespace
}  // namespace elbowroom::policy
