// What budgets still allow while the potential victims of a node are charged to them. Who is
// charged first differs between the rule sets, and it is decided here alone.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "policy/model/rules.h"

namespace elbowroom::policy {

// An account that sets no limit is never charged.
inline constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

// The accounts, by number, and for each potential victim (most important first) those that cover
// it, in the order of charging.
struct BudgetAccounts {
  std::vector<std::int64_t> left{};
  std::vector<std::vector<std::uint32_t>> covering{};
};

// Which potential victims break a budget. Default rules charge from the least important up and
// every budget that covers the pod; upstream's from the most important down, and stop at the first
// budget of a pod that breaks. Source: kube-scheduler filterPodsWithPDBViolation (1.37).
[[nodiscard]] std::vector<bool> breaking(BudgetAccounts accounts, RuleSet rules);

// The account that forbids a potential victim, because it allows no more, or nothing; charged from
// the least important up. Whoever is forbidden is charged to nobody.
[[nodiscard]] std::vector<std::optional<std::uint32_t>> forbidding(BudgetAccounts accounts);

}  // namespace elbowroom::policy
