// What budgets still allow while the potential victims of a node are charged to them. The rule sets
// differ in the order of charging; only this file decides it.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "policy/model/rules.h"

namespace elbowroom::policy {

// An account with this value sets no limit and is never charged.
inline constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

// The accounts, by number, and for each potential victim (most important first) the accounts that
// cover it, in the order of charging.
struct BudgetAccounts {
  std::vector<std::int64_t> left{};
  std::vector<std::vector<std::uint32_t>> covering{};
};

// Which potential victims violate a budget. Default rules charge from the least important up, and
// charge every budget that covers the pod. Upstream's rules charge from the most important down,
// and stop at the pod's first violated budget. Source: kube-scheduler filterPodsWithPDBViolation
// (1.37).
[[nodiscard]] std::vector<bool> breaking(BudgetAccounts accounts, RuleSet rules);

// For each potential victim, the account that forbids it because it allows no more, or none.
// Accounts are charged from the least important up. A forbidden pod is charged to no account.
[[nodiscard]] std::vector<std::optional<std::uint32_t>> forbidding(BudgetAccounts accounts);

}  // namespace elbowroom::policy
