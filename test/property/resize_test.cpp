// Properties of every resize on every node.
#include "policy/resize/resize.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "agent/judge.h"
#include "agent/pod_view.h"
#include "policy/model/charge.h"
#include "policy/model/removal_mark.h"
#include "policy/preemption/resize_preemption.h"
#include "policy/resize/retry_order.h"
#include "test/property/random_node.h"

namespace elbowroom::test {
namespace {

using policy::Pod;
using policy::PreemptionOutcome;
using policy::ResizePreemption;
using policy::Resources;
using policy::RuleSet;
using policy::Verdict;

policy::ResizeDecision decide(const RandomNode& world, const std::vector<Pod>& pods) {
  return policy::decide_resize(world.on, world.pods.front(),
                               policy::held_by_others(pods, world.pods.front().uid), {});
}

ResizePreemption plan(const RandomNode& world, const std::vector<Pod>& pods, RuleSet rules) {
  const policy::Budgets none;
  const policy::OverduePods lapsed;
  return policy::plan_resize_preemption({.node = world.on,
                                         .pods = pods,
                                         .nominated = {},
                                         .budgets = none,
                                         .lapsed = lapsed,
                                         .rules = rules},
                                        world.pods.front().uid);
}

std::set<std::string> uids(const ResizePreemption& plan) {
  std::set<std::string> all;
  for (const policy::ChosenVictim& each : plan.victims) all.insert(each.pod->uid);
  return all;
}

RC_GTEST_PROP(Resize, VerdictDoesNotDependOnTheOrderOfPods, ()) {
  const RandomNode world = random_node();
  RC_ASSERT(decide(world, world.pods) == decide(world, shuffled(world.pods)));
}

RC_GTEST_PROP(Resize, AShrinkIsNeverDeferred, ()) {
  const RandomNode world = random_node();
  const policy::Totals totals = policy::totals_of(world.pods.front());
  const auto decision = decide(world, world.pods);
  if (!policy::raises_any(totals)) {
    RC_ASSERT(decision.verdict == Verdict::Unchanged || decision.verdict == Verdict::Allocated);
  }
}

RC_GTEST_PROP(Resize, AllocationsOfAPassNeverRaiseHeldChargesAboveAllocatable, ()) {
  RandomNode world = random_node();
  std::vector<agent::Judged> judged;
  for (const Pod& pod : world.pods) {
    const bool leaves = policy::is_terminating(pod);
    judged.push_back({.pod = &pod,
                      .judgeable = !leaves,
                      .makes_room_for = leaves ? policy::removal_mark(pod) : std::nullopt});
  }
  const agent::Judgements decisions = agent::judge_pass(world.on, judged, {}, "");
  Resources before;
  Resources after;
  for (const Pod& pod : world.pods) {
    if (!policy::holds_room(pod)) continue;
    policy::Pod with = pod;
    policy::add_to(before, policy::held_charge(with));
    const auto decision = decisions.find(pod.uid);
    if (decision != decisions.end() && decision->second.verdict == Verdict::Allocated) {
      const agent::PodAllocation given = agent::desired_allocation(pod);
      with = agent::view_of(pod, &given, nullptr);
    }
    policy::add_to(after, policy::held_charge(with));
  }
  const auto rises_above = [&](std::int64_t was, std::int64_t is, std::int64_t allocatable) {
    return is > was && is > allocatable;
  };
  RC_ASSERT(!rises_above(before.cpu.value, after.cpu.value, world.on.allocatable.cpu.value));
  RC_ASSERT(
      !rises_above(before.memory.value, after.memory.value, world.on.allocatable.memory.value));
}

RC_GTEST_PROP(RetryOrder, IsStrictAndTotal, ()) {
  const RandomNode world = random_node();
  std::vector<policy::RetryKey> keys;
  for (const Pod& pod : world.pods) keys.push_back(policy::retry_key(pod, 0));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    for (std::size_t j = 0; j < keys.size(); ++j) {
      RC_ASSERT((keys[i] < keys[j]) + (keys[j] < keys[i]) + (i == j) == 1);
    }
  }
}

RC_GTEST_PROP(Victims, AreStrictlyLowerAndOfTheNode, ()) {
  const RandomNode world = random_node();
  for (const RuleSet rules : {RuleSet::Elbowroom, RuleSet::Upstream}) {
    for (const policy::ChosenVictim& victim : plan(world, world.pods, rules).victims) {
      RC_ASSERT(policy::priority_of(*victim.pod) < policy::priority_of(world.pods.front()));
      RC_ASSERT(rules == RuleSet::Upstream || !policy::is_terminating(*victim.pod));
    }
  }
}

RC_GTEST_PROP(Victims, DoNotDependOnTheOrderOfPods, ()) {
  const RandomNode world = random_node();
  for (const RuleSet rules : {RuleSet::Elbowroom, RuleSet::Upstream}) {
    const std::vector<Pod> other = shuffled(world.pods);
    const ResizePreemption a = plan(world, world.pods, rules);
    const ResizePreemption b = plan(world, other, rules);
    RC_ASSERT(uids(a) == uids(b));
    RC_ASSERT(a.outcome == b.outcome);
    RC_ASSERT(a.message == b.message);
  }
}

// Treats terminating pods as gone and shrinks as done, and ignores the desired sizes of other
// Deferred pods.
RandomNode alone(RandomNode world) {
  for (std::size_t i = 1; i < world.pods.size(); ++i) world.pods[i].conditions.clear();
  for (std::size_t i = 1; i < world.pods.size(); ++i) {
    policy::Container& app = world.pods[i].containers[0];
    app.desired.requests = *app.allocated_requests;
    app.actual_requests = app.allocated_requests;
  }
  return world;
}

std::vector<Pod> without(const RandomNode& world, const std::set<std::string>& gone) {
  std::vector<Pod> rest;
  for (const Pod& pod : world.pods) {
    const bool leaves = policy::is_terminating(pod) || gone.contains(pod.uid);
    if (!leaves) rest.push_back(pod);
  }
  return rest;
}

RC_GTEST_PROP(Victims, MakeItFitAndNoneOfThemCouldStay, ()) {
  const RandomNode world = alone(random_node());
  if (decide(world, world.pods).verdict != Verdict::Deferred) return;
  const ResizePreemption planned = plan(world, world.pods, RuleSet::Elbowroom);
  const std::set<std::string> victims = uids(planned);
  const auto fits = [&](const std::set<std::string>& gone) {
    return decide(world, without(world, gone)).verdict == Verdict::Allocated;
  };
  switch (planned.outcome) {
    case PreemptionOutcome::Preempt:
      RC_ASSERT(!victims.empty());
      RC_ASSERT(fits(victims));
      for (const std::string& spared : victims) {
        std::set<std::string> fewer = victims;
        fewer.erase(spared);
        RC_ASSERT(!fits(fewer));
      }
      break;
    case PreemptionOutcome::AwaitingVictims:
      RC_ASSERT(victims.empty());
      RC_ASSERT(fits({}));
      break;
    default:
      RC_ASSERT(victims.empty());
      RC_ASSERT(!fits({}));
  }
}

}  // namespace
}  // namespace elbowroom::test
