#include "cli/evict/eviction_refusal.h"

#include <vector>

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
  return std::nullopt;
}

}  // namespace elbowroom::cli
