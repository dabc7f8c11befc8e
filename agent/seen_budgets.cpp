#include "agent/seen_budgets.h"

#include <algorithm>
#include <utility>

#include "policy/ledger/budget_by_status.h"
#include "policy/ledger/strictest_budget.h"
#include "policy/preemption/budget_account.h"
#include "policy/preemption/budget_coverage.h"

namespace elbowroom::agent {

using policy::DisruptionBudget;

void SeenBudgets::drop_old(Milliseconds now) {
  std::erase_if(known_, [&](const auto& entry) { return now - entry.second.at >= kLasts; });
}

std::string SeenBudgets::trouble() const {
  for (const auto& [ns, seen] : known_) {
    if (!seen.trouble.empty()) return seen.trouble;
  }
  return "";
}

std::optional<SeenBudgets::Milliseconds> SeenBudgets::next_old() const {
  std::optional<Milliseconds> next;
  for (const auto& [ns, seen] : known_) {
    next = std::min(next.value_or(seen.at + kLasts), seen.at + kLasts);
  }
  return next;
}

policy::Budgets SeenBudgets::walls(policy::Time plans_at) const {
  policy::Budgets walls;
  for (const auto& [ns, seen] : known_) {
    if (!seen.trouble.empty()) {
      walls.ours.push_back(policy::strictest_budget(ns, "(not known)"));
    }
    for (const DisruptionBudget& each : seen.budgets) {
      if (!each.hard) continue;
      walls.ours.push_back(policy::wall_of(each, seen.server));
      // The plan is made by this machine's clock.
      for (policy::LedgerEntry& entry : walls.ours.back().recent) entry.time = plans_at;
    }
  }
  return walls;
}

std::vector<BudgetRef> SeenBudgets::over(const policy::Pod& pod) const {
  std::vector<BudgetRef> over;
  const auto of_namespace = known_.find(pod.ns);
  if (of_namespace == known_.end()) return over;
  for (const bool hard : {true, false}) {
    for (const DisruptionBudget& each : of_namespace->second.budgets) {
      const bool is_spared =
          policy::is_unhealthy(pod) && policy::spares_by_status(each, of_namespace->second.server);
      const bool counts = each.hard == hard && policy::is_covered(each, pod) && !is_spared;
      if (counts && over.size() < policy::kMostBudgetsOverPod) {
        over.push_back({each.ns, each.name, each.uid});
      }
    }
  }
  return over;
}

}  // namespace elbowroom::agent
