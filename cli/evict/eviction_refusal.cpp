#include "cli/evict/eviction_refusal.h"

#include <algorithm>
#include <vector>

#include "policy/preemption/budget_account.h"
#include "policy/preemption/budget_coverage.h"
#include "policy/preemption/preemption_messages.h"

namespace elbowroom::cli {
namespace {

std::vector<std::string> covering(const policy::Pod& pod,
                                  std::span<const policy::PodDisruptionBudget> budgets) {
  std::vector<std::string> names;
  for (const policy::PodDisruptionBudget& each : budgets) {
    if (policy::covers(each.ns, each.selector, pod)) names.push_back(each.ns + "/" + each.name);
  }
  return names;
}

}  // namespace

std::optional<NeverEvicted> why_never_evicted(const policy::Pod& pod,
                                              std::span<const policy::PodDisruptionBudget> budgets,
                                              std::span<const policy::DisruptionBudget> own,
                                              bool is_forced) {
  if (policy::is_terminating(pod)) return NeverEvicted{"it is terminating already"};
  if (policy::is_finished(pod)) return NeverEvicted{"it has finished"};
  if (pod.is_static || pod.is_mirror) {
    return NeverEvicted{"it is a static pod, which only its node removes"};
  }
  if (pod.controller && pod.controller->kind == "DaemonSet") {
    return NeverEvicted{"DaemonSet " + pod.controller->name +
                        " would create it again on the same node"};
  }
  if (pod.group && (pod.group->mode == policy::DisruptionMode::All || pod.group->is_unclear())) {
    const bool is_whole = !pod.group->is_unclear();
    return NeverEvicted{"its pod group " + policy::group_key_of(pod) +
                        (is_whole ? " is disrupted whole" : " is not understood") +
                        ", and an eviction takes one pod"};
  }
  if (!pod.controller && !is_forced) {
    return NeverEvicted{
        "it has no controller that would create it again; --force evicts it all the same"};
  }
  const std::vector<std::string> names = covering(pod, budgets);
  if (names.size() > 1) {
    return NeverEvicted{
        "several PodDisruptionBudgets cover it, and the API server evicts no such pod: " +
            policy::listed(names),
        true};
  }
  const auto over = static_cast<std::size_t>(std::ranges::count_if(
      own, [&](const policy::DisruptionBudget& each) { return policy::is_covered(each, pod); }));
  if (over > policy::kMostBudgetsOverPod) {
    return NeverEvicted{std::to_string(over) + " DisruptionBudgets cover it, and no more than " +
                            std::to_string(policy::kMostBudgetsOverPod) +
                            " are written for one pod: delete some",
                        true};
  }
  return std::nullopt;
}

}  // namespace elbowroom::cli
