#include "policy/preemption/budget_account.h"

#include <algorithm>
#include <cstddef>

namespace elbowroom::policy {
namespace {

// Charges the i-th potential victim. True when some account falls below zero.
bool charge(BudgetAccounts& accounts, std::size_t i, bool stop_at_first) {
  bool broke = false;
  for (const std::uint32_t number : accounts.covering[i]) {
    std::int64_t& left = accounts.left[number];
    if (left == kUnlimited) continue;
    --left;
    if (left >= 0) continue;
    broke = true;
    if (stop_at_first) return true;
  }
  return broke;
}

}  // namespace

std::vector<bool> breaking(BudgetAccounts accounts, RuleSet rules) {
  const bool from_the_top = rules == RuleSet::Upstream;
  const std::size_t count = accounts.covering.size();
  std::vector<bool> breaks(count, false);
  for (std::size_t step = 0; step < count; ++step) {
    const std::size_t i = from_the_top ? step : count - 1 - step;
    breaks[i] = charge(accounts, i, from_the_top);
  }
  return breaks;
}

std::vector<std::optional<std::uint32_t>> forbidding(BudgetAccounts accounts) {
  std::vector<std::optional<std::uint32_t>> by(accounts.covering.size());
  for (std::size_t i = by.size(); i-- > 0;) {
    const auto& covering = accounts.covering[i];
    const auto empty = std::ranges::find_if(
        covering, [&](std::uint32_t number) { return accounts.left[number] <= 0; });
    if (empty != covering.end()) {
      by[i] = *empty;
    } else {
      charge(accounts, i, false);
    }
  }
  return by;
}

}  // namespace elbowroom::policy
