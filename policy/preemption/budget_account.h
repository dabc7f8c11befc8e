// What budgets still allow while the potential victims of a node are charged to them. A unit is
// charged once for each of its pods, wherever they run. The rule sets differ in the order of
// charging; only this file decides it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "policy/model/rules.h"

namespace elbowroom::policy {

// An account with this value sets no limit and is never charged.
inline constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

// So many DisruptionBudgets over one pod are written when it goes. It stays where more hard ones
// cover it; soft ones beyond that are passed.
inline constexpr std::size_t kMostBudgetsOverPod = 64;

// The accounts, by number, and which of them cover the pods of each unit. Units come most important
// first. Each list of ends divides the list before it.
struct BudgetAccounts {
  std::vector<std::int64_t> left{};
  std::vector<bool> is_soft{};  // parallel: of a DisruptionBudget. By upstream's rules none is.
  std::vector<std::uint32_t> covering{};   // accounts in the order of charging, pod after pod
  std::vector<std::uint32_t> pod_ends{};   // of each pod in `covering`, unit after unit
  std::vector<std::uint32_t> unit_ends{};  // of each unit in `pod_ends`

  // Adds the pod, or the unit, whose accounts or pods were added last.
  void end_pod() { pod_ends.push_back(static_cast<std::uint32_t>(covering.size())); }
  void end_unit() { unit_ends.push_back(static_cast<std::uint32_t>(pod_ends.size())); }
  void clear() {
    left.clear();
    is_soft.clear();
    covering.clear();
    pod_ends.clear();
    unit_ends.clear();
  }
};

// How many pods of a unit violate a budget. A PodDisruptionBudget that would be violated counts for
// more than priorities; a soft DisruptionBudget decides among units of one priority alone.
struct Violations {
  std::int32_t any = 0;   // of either kind
  std::int32_t firm = 0;  // a PodDisruptionBudget; by upstream's rules any budget
  std::int32_t soft = 0;  // a DisruptionBudget

  friend bool operator==(const Violations&, const Violations&) = default;
};

// For each unit, how many of its pods violate a budget. Default rules charge from the least
// important unit up, and charge every budget that covers the pod. Upstream's rules charge from the
// most important down, and stop at each pod's first violated budget. Source: kube-scheduler
// filterPodsWithPDBViolation (1.37).
[[nodiscard]] std::vector<Violations> breaking(BudgetAccounts accounts, RuleSet rules);
// The same into `breaks`, which is replaced; the accounts are charged.
void charge_all(BudgetAccounts& accounts, RuleSet rules, std::vector<Violations>& breaks);

// For each unit, the account that forbids it because it allows fewer than the unit's pods, or
// because more than kMostBudgetsOverPod accounts cover one of them; none: it may go. Accounts are
// charged from the least important unit up. A forbidden unit is charged to no
// account.
[[nodiscard]] std::vector<std::optional<std::uint32_t>> forbidding(BudgetAccounts accounts);

}  // namespace elbowroom::policy
