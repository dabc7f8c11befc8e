// The three resize conditions of a pod as they stand after a judgement. PodResizePending comes
// first, every condition set here carries the generation it was judged at, and an in-progress
// condition of an earlier resize stays while a later one waits.
#pragma once

#include <optional>
#include <string>

#include "policy/model/condition.h"
#include "policy/model/node.h"
#include "policy/model/pod.h"
#include "policy/resize/resize.h"

namespace elbowroom::policy {

// What became of the conditions, and what is worth an event.
struct ResizeConditions {
  std::optional<Condition> pending{};
  std::optional<Condition> in_progress{};
  std::optional<Condition> preemption_disabled{};
  bool pending_changed = false;  // set anew, or with another reason or generation: worth an event

  friend bool operator==(const ResizeConditions&, const ResizeConditions&) = default;
};

// After the verdict at `now`. Allocated clears pending and renews in-progress (empty reason and
// message); Unchanged clears pending; Deferred and Infeasible set it and keep in-progress.
// PodResizePreemptionDisabled stands while Deferred and the node's policy has an owner; one of
// somebody else's stays as it is.
// Source: kubelet status_manager.go (condition setters); seed KEP-5836.
[[nodiscard]] ResizeConditions judge_conditions(const Pod& pod, const Node& node,
                                                const ResizeDecision& decision, Time now);

// PodResizePreemptionDisabled as it should stand, or none. One with another reason than the Node's
// policy belongs to another writer: while it is True nothing of it is changed, whatever the policy
// says. One that is not True says nothing, and one of the early draft's reason (PreemptionDisabled)
// says the same, so the policy's word takes its place while that is to stand, and not otherwise.
[[nodiscard]] std::optional<Condition> preemption_disabled_condition(const Pod& pod,
                                                                     const Node& node,
                                                                     bool deferred, Time now);

// True where the condition's reason is that of the Node's policy: it was set by an agent, and
// agents may take it away.
[[nodiscard]] bool says_node_policy(const Condition& condition);

// True where PodResizePreemptionDisabled is True for a reason of another writer that never gives
// way to the Node's policy.
[[nodiscard]] bool preemption_disabled_by_others(const Pod& pod);

// The conditions that are there, pending first; for output and comparison.
[[nodiscard]] Conditions in_order(const ResizeConditions& conditions);

// In-progress with an error: the generation of the resize is kept.
[[nodiscard]] Condition in_progress_error(const Condition& in_progress, std::string message,
                                          Time now);

}  // namespace elbowroom::policy
