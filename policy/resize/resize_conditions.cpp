#include "policy/resize/resize_conditions.h"

#include <utility>

namespace elbowroom::policy {
namespace {

// The reason from an early draft of KEP-5836. No agent of ours writes it; our reason replaces it.
constexpr std::string_view kReasonPreemptionDisabledDraft = "PreemptionDisabled";

std::optional<Condition> present(const Pod& pod, std::string_view type) {
  const Condition* found = find_condition(pod.conditions, type);
  if (found == nullptr) return std::nullopt;
  return *found;
}

Condition pending_condition(const Pod& pod, const ResizeDecision& decision, Time now) {
  const std::string_view reason =
      decision.verdict == Verdict::Infeasible ? kReasonInfeasible : kReasonDeferred;
  const Condition* before = find_condition(pod.conditions, kPodResizePending);
  const bool same = before != nullptr && before->reason == reason && before->status == "True";
  return {.type = std::string(kPodResizePending),
          .status = "True",
          .reason = std::string(reason),
          .message = decision.message,
          .observed_generation = pod.generation,
          .last_transition = same && before->last_transition ? before->last_transition : now};
}

}  // namespace

bool may_be_replaced_by_policy(const Condition& condition) {
  return says_node_policy(condition) || condition.reason == kReasonPreemptionDisabledDraft;
}

bool says_node_policy(const Condition& condition) {
  return condition.reason == kReasonPreemptionDisabledByNodePolicy;
}

bool preemption_disabled_by_others(const Pod& pod) {
  const Condition* stands = find_condition(pod.conditions, kPodResizePreemptionDisabled);
  return stands != nullptr && stands->status == "True" && !may_be_replaced_by_policy(*stands);
}

void drop_outlived_policy(Pod& pod, const Node& node) {
  if (disables_resize_preemption(node) || preemption_disabled_by_others(pod)) return;
  std::erase_if(pod.conditions,
                [](const Condition& each) { return each.type == kPodResizePreemptionDisabled; });
}

std::optional<Condition> preemption_disabled_condition(const Pod& pod, const Node& node,
                                                       bool deferred, Time now) {
  const Condition* before = find_condition(pod.conditions, kPodResizePreemptionDisabled);
  const bool wanted = deferred && disables_resize_preemption(node);
  const bool stays = preemption_disabled_by_others(pod) ||
                     (before != nullptr && !wanted && !says_node_policy(*before));
  if (stays) return *before;
  if (!wanted) return std::nullopt;
  const bool stood = before != nullptr && before->status == "True" && before->last_transition;
  return Condition{.type = std::string(kPodResizePreemptionDisabled),
                   .status = "True",
                   .reason = std::string(kReasonPreemptionDisabledByNodePolicy),
                   .message = "Preemption for in-place pod resize is disabled on node '" +
                              node.name + "' by preemption policy.",
                   .observed_generation = pod.generation,
                   .last_transition = stood ? before->last_transition : now};
}

ResizeConditions conditions_after_verdict(const Pod& pod, const Node& node,
                                          const ResizeDecision& decision, Time now) {
  ResizeConditions after;
  const Condition* before = find_condition(pod.conditions, kPodResizePending);
  const bool deferred = decision.verdict == Verdict::Deferred;
  after.preemption_disabled = preemption_disabled_condition(pod, node, deferred, now);

  switch (decision.verdict) {
    case Verdict::Unchanged:
      after.in_progress = present(pod, kPodResizeInProgress);
      return after;
    case Verdict::Allocated:
      after.in_progress = Condition{.type = std::string(kPodResizeInProgress),
                                    .status = "True",
                                    .reason = "",
                                    .message = "",
                                    .observed_generation = pod.generation,
                                    .last_transition = now};
      return after;
    case Verdict::Deferred:
    case Verdict::Infeasible:
      after.in_progress = present(pod, kPodResizeInProgress);
      after.pending = pending_condition(pod, decision, now);
      after.pending_changed = before == nullptr || before->reason != after.pending->reason ||
                              !is_of(*before, pod.generation);
      return after;
  }
  return after;
}

bool is_of(const Condition& condition, std::int64_t generation) {
  return condition.observed_generation.value_or(generation) == generation;
}

Conditions in_order(const ResizeConditions& conditions) {
  Conditions all;
  if (conditions.pending) all.push_back(*conditions.pending);
  if (conditions.in_progress) all.push_back(*conditions.in_progress);
  if (conditions.preemption_disabled) all.push_back(*conditions.preemption_disabled);
  return all;
}

Condition in_progress_error(const Condition& in_progress, std::string message, Time now) {
  Condition failed = in_progress;
  if (failed.reason != kReasonError) failed.last_transition = now;
  failed.status = "True";
  failed.reason = std::string(kReasonError);
  failed.message = std::move(message);
  return failed;
}

}  // namespace elbowroom::policy
