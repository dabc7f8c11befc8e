// Which pods a budget counts: for what preemption charges, for the ledger and for evictions alike.
#pragma once

#include <optional>
#include <string>

#include "policy/model/budget.h"
#include "policy/model/condition.h"
#include "policy/model/pod.h"
#include "policy/model/selector.h"

namespace elbowroom::policy {

// The pod is of that namespace and matches. No selector matches no pod.
[[nodiscard]] inline bool covers(const std::string& ns,
                                 const std::optional<LabelSelector>& selector, const Pod& pod) {
  return pod.ns == ns && selector && matches(*selector, pod.labels);
}

// The budget covers the pod: it also has a node and has not finished.
[[nodiscard]] inline bool is_covered(const DisruptionBudget& budget, const Pod& pod) {
  return !pod.node.empty() && !is_finished(pod) && covers(budget.ns, budget.selector, pod);
}

// The budget expects the Pod, which waits for a node.
[[nodiscard]] inline bool is_awaited(const DisruptionBudget& budget, const Pod& pod) {
  return pod.node.empty() && !is_finished(pod) && covers(budget.ns, budget.selector, pod);
}

// Ready and not terminating.
[[nodiscard]] inline bool is_healthy(const Pod& pod) {
  return has_true(pod.conditions, kReady) && !is_terminating(pod);
}

// It runs, its node reports it as not Ready, and it is not terminating: no budget counts it as
// healthy, so its removal disrupts nothing. One that is still starting will be healthy soon; of one
// without the condition, as files have it, nothing is known.
[[nodiscard]] inline bool is_unhealthy(const Pod& pod) {
  const Condition* ready = find_condition(pod.conditions, kReady);
  return pod.phase != Phase::Pending && !is_finished(pod) && !is_terminating(pod) &&
         ready != nullptr && ready->status != "True";
}

}  // namespace elbowroom::policy
