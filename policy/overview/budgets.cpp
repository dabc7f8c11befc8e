#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "policy/ledger/ledger.h"
#include "policy/model/natural_order.h"
#include "policy/overview/overview.h"
#include "policy/preemption/budget_coverage.h"

namespace elbowroom::policy {
namespace {

constexpr std::chrono::hours kRecent{1};

// Budgets cover pods of their own namespaces alone.
using Namespaces = std::set<std::string_view, std::less<>>;
template <class Budget>
Namespaces namespaces_of(const std::vector<Budget>& budgets) {
  Namespaces all;
  for (const Budget& each : budgets) all.insert(each.ns);
  return all;
}

// The pods of these namespaces, as `Of` holds them: values, or pointers.
template <class Of>
using PodsByNamespace = std::map<std::string_view, std::vector<Of>, std::less<>>;
template <class Of, class Held>
PodsByNamespace<Of> by_namespace(const Namespaces& namespaces, const std::vector<Pod>& all,
                                 Held held) {
  PodsByNamespace<Of> pods;
  for (const std::string_view ns : namespaces) pods[ns];
  for (const Pod& each : all) {
    const auto at = pods.find(each.ns);
    if (at != pods.end()) at->second.push_back(held(each));
  }
  return pods;
}

BudgetOverview about(const PodDisruptionBudget& budget, const std::vector<const Pod*>& pods) {
  const auto is_counted = [&](const Pod* pod) {
    return !is_finished(*pod) && covers(budget.ns, budget.selector, *pod);
  };
  return {.budget = "PodDisruptionBudget " + budget.ns + "/" + budget.name,
          .pods = std::ranges::count_if(pods, is_counted),
          .allowed = budget.disruptions_allowed};
}

BudgetOverview about(const DisruptionBudget& budget, const std::vector<Pod>& pods, Time now) {
  const LedgerState state = ledger_state(budget, pods, now);
  const Allowance rest = allowance(state, current_entries(state));
  BudgetOverview said{.budget = "DisruptionBudget " + budget.ns + "/" + budget.name,
                      .hard = budget.hard,
                      .pods = state.strength.covered};
  if (rest.allowed != std::numeric_limits<std::int64_t>::max()) said.allowed = rest.allowed;
  if (rest.allowed == 0) said.next = rest.next;
  return said;
}

}  // namespace

std::vector<BudgetOverview> overview_of_budgets(const Budgets& budgets, Time now) {
  const auto named = by_namespace<const Pod*>(namespaces_of(budgets.upstream), budgets.cluster_pods,
                                              [](const Pod& pod) { return &pod; });
  const auto pods = by_namespace<Pod>(namespaces_of(budgets.ours), budgets.cluster_pods,
                                      [](const Pod& pod) { return pod; });
  std::vector<BudgetOverview> all;
  for (const PodDisruptionBudget& each : budgets.upstream) {
    all.push_back(about(each, named.at(each.ns)));
  }
  for (const DisruptionBudget& each : budgets.ours) {
    all.push_back(about(each, pods.at(each.ns), now));
  }
  std::ranges::sort(all, natural_less, &BudgetOverview::budget);
  return all;
}

std::vector<RecentRemoval> recent_removals(const Budgets& budgets, Time now) {
  std::vector<RecentRemoval> all;
  for (const DisruptionBudget& budget : budgets.ours) {
    for (const LedgerEntry& each : budget.recent) {
      if (each.time + kRecent < now) continue;
      all.push_back({.pod = budget.ns + "/" + each.pod,
                     .uid = each.uid,
                     .time = each.time,
                     .by = each.by,
                     .budget = "DisruptionBudget " + budget.ns + "/" + budget.name});
    }
  }
  std::ranges::sort(all, [](const RecentRemoval& a, const RecentRemoval& b) {
    return std::tie(b.time, a.pod, a.uid, a.budget) < std::tie(a.time, b.pod, b.uid, b.budget);
  });
  if (all.size() > kMostRecentRemovals) all.resize(kMostRecentRemovals);
  return all;
}

}  // namespace elbowroom::policy
