#include "policy/moves/move_budgets.h"

#include <algorithm>

#include "policy/ledger/ledger.h"
#include "policy/preemption/budget_coverage.h"

namespace elbowroom::policy {
namespace {

constexpr std::string_view kMover = "elbowroom-rescheduler";

void add(std::string& to, const std::string& ns, const std::string& name, std::string_view why) {
  if (!to.empty()) to += "; ";
  to += "budget " + ns + "/" + name + ": " + std::string(why);
}

bool is_charged_already(const PodDisruptionBudget& budget, const Pod& pod) {
  return budget.disrupted_pods.contains(pod.name);
}

}  // namespace

std::string MoveBudgets::why_blocked(const Pod& pod) const {
  std::string why;
  std::size_t upstream = 0;
  for (const PodDisruptionBudget& each : upstream_) {
    if (!covers(each.ns, each.selector, pod)) continue;
    ++upstream;
    if (upstream > 1) add(why, each.ns, each.name, "the second one, and no such pod is evicted");
    if (each.disruptions_allowed <= 0 && !is_charged_already(each, pod)) {
      add(why, each.ns, each.name, "it allows no disruption now");
    }
  }
  for (const DisruptionBudget& each : ours_) {
    if (!is_covered(each, pod)) continue;
    if (!debit(ledger_state(each, pods_, now_), {&pod, 1}, kMover).is_allowed) {
      add(why, each.ns, each.name, "it allows no disruption now");
    }
  }
  return why;
}

void MoveBudgets::charge(const Pod& pod) {
  for (PodDisruptionBudget& each : upstream_) {
    if (!covers(each.ns, each.selector, pod) || is_charged_already(each, pod)) continue;
    --each.disruptions_allowed;
  }
  for (DisruptionBudget& each : ours_) {
    if (!is_covered(each, pod)) continue;
    each.recent = debit(ledger_state(each, pods_, now_), {&pod, 1}, kMover).ledger;
  }
}

}  // namespace elbowroom::policy
