#include "policy/ledger/covering_budgets.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "policy/ledger/ledger.h"
#include "policy/preemption/budget_coverage.h"

namespace elbowroom::policy {
namespace {

template <class Budget>
std::vector<const Pod*> covered(const Budget& budget, const std::vector<const Pod*>& pods) {
  std::vector<const Pod*> found;
  for (const Pod* each : pods) {
    if (covers(budget.ns, budget.selector, *each)) found.push_back(each);
  }
  return found;
}

std::vector<std::string> names_of(const std::vector<const Pod*>& pods) {
  std::vector<std::string> names;
  for (const Pod* each : pods) names.push_back(key_of(*each));
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> unhealthy_names(const std::vector<const Pod*>& pods) {
  std::vector<const Pod*> unhealthy;
  for (const Pod* each : pods) {
    if (is_unhealthy(*each)) unhealthy.push_back(each);
  }
  return names_of(unhealthy);
}

CoveringBudget about(const PodDisruptionBudget& budget, const std::vector<const Pod*>& pods) {
  CoveringBudget said{.budget = "PodDisruptionBudget " + budget.ns + "/" + budget.name,
                      .allowed = budget.disruptions_allowed,
                      .pods = names_of(pods)};
  if (spares_unhealthy(budget)) said.spared = unhealthy_names(pods);
  return said;
}

CoveringBudget about(const DisruptionBudget& budget, const std::vector<const Pod*>& pods,
                     const std::vector<Pod>& all, Time now) {
  const LedgerState state = ledger_state(budget, all, now);
  const bool spares = spares_unhealthy(budget, strength_beside(state, current_entries(state)));
  const auto charged =
      std::ranges::find_if(pods, [&](const Pod* each) { return !spares || !is_unhealthy(*each); });
  const Debit one = debit(state, {charged == pods.end() ? pods.front() : *charged, 1}, "");
  CoveringBudget said{.budget = "DisruptionBudget " + budget.ns + "/" + budget.name,
                      .hard = budget.hard,
                      .pods = names_of(pods)};
  if (one.allowed != std::numeric_limits<std::int64_t>::max()) said.allowed = one.allowed;
  if (one.allowed == 0) said.next = one.next;
  if (spares) said.spared = unhealthy_names(pods);
  return said;
}

}  // namespace

std::vector<CoveringBudget> covering_budgets(const std::vector<const Pod*>& pods,
                                             const Budgets& budgets, Time now) {
  std::vector<CoveringBudget> found;
  for (const PodDisruptionBudget& each : budgets.upstream) {
    const auto here = covered(each, pods);
    if (!here.empty()) found.push_back(about(each, here));
  }
  for (const DisruptionBudget& each : budgets.ours) {
    const auto here = covered(each, pods);
    if (!here.empty()) found.push_back(about(each, here, budgets.cluster_pods, now));
  }
  std::ranges::sort(found, {}, &CoveringBudget::budget);
  return found;
}

}  // namespace elbowroom::policy
