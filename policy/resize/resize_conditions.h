// The three resize conditions of a pod after a verdict. PodResizePending comes first. Every
// condition set here carries the generation it was judged at. An in-progress condition of an
// earlier resize stays while a later resize waits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "policy/model/condition.h"
#include "policy/model/node.h"
#include "policy/model/pod.h"
#include "policy/resize/resize.h"

namespace elbowroom::policy {

// The resulting conditions, and which change is worth an event.
struct ResizeConditions {
  std::optional<Condition> pending{};
  std::optional<Condition> in_progress{};
  std::optional<Condition> preemption_disabled{};
  bool pending_changed = false;  // newly set, or with another reason or generation: worth an event

  friend bool operator==(const ResizeConditions&, const ResizeConditions&) = default;
};

// The conditions after the verdict at `now`. Allocated clears pending and renews in-progress (empty
// reason and message). Unchanged clears pending. Deferred and Infeasible set pending and keep
// in-progress. PodResizePreemptionDisabled is set while the resize is Deferred and the node's
// policy has an owner; another writer's condition stays as it is. Source: kubelet status_manager.go
// (condition setters); seed KEP-5836.
[[nodiscard]] ResizeConditions conditions_after_verdict(const Pod& pod, const Node& node,
                                                        const ResizeDecision& decision, Time now);

// The PodResizePreemptionDisabled condition to set, or none. A condition whose reason is not the
// Node's policy belongs to another writer: while it is True it is left unchanged, whatever the
// policy says. A condition that is not True has no effect, and the early draft's reason
// (PreemptionDisabled) means the same as the Node's policy. The policy's condition replaces both,
// when it is to be set.
[[nodiscard]] std::optional<Condition> preemption_disabled_condition(const Pod& pod,
                                                                     const Node& node,
                                                                     bool deferred, Time now);

// True where the condition's reason is the Node's policy. An agent set it, and agents may remove
// it.
[[nodiscard]] bool says_node_policy(const Condition& condition);

// True where the condition's reason is the Node's policy, in today's words or in those of an early
// draft of KEP-5836 (PreemptionDisabled).
[[nodiscard]] bool may_be_replaced_by_policy(const Condition& condition);

// True where PodResizePreemptionDisabled is True for another writer's reason, which never gives way
// to the Node's policy.
[[nodiscard]] bool preemption_disabled_by_others(const Pod& pod);

// Removes PodResizePreemptionDisabled for the Node's policy from the pod where the Node has none:
// the condition has outlived the policy.
void drop_outlived_policy(Pod& pod, const Node& node);

// True where the condition is about that generation of its pod, or names none: an API server before
// 1.34 drops what is written there (feature gate PodObservedGenerationTracking).
[[nodiscard]] bool is_of(const Condition& condition, std::int64_t generation);

// The existing conditions, pending first; for output and comparison.
[[nodiscard]] Conditions in_order(const ResizeConditions& conditions);

// In-progress with an error. Keeps the generation of the resize.
[[nodiscard]] Condition in_progress_error(const Condition& in_progress, std::string message,
                                          Time now);

}  // namespace elbowroom::policy
