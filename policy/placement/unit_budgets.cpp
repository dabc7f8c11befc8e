#include "policy/placement/unit_budgets.h"

#include <string_view>

namespace elbowroom::policy {
namespace {

// Whether the budget's status counts the pod as disrupted already, or it needs no charge.
bool is_uncharged(const BudgetRoom& budget, const RoomHolding& pod) {
  if (budget.spares_unhealthy && pod.is_unhealthy) return true;
  if (budget.debited.contains(pod.uid)) return true;
  if (budget.disrupted_pods.empty()) return false;
  return budget.disrupted_pods.contains(std::string_view(pod.key).substr(pod.key.find('/') + 1));
}

}  // namespace

std::uint32_t UnitBudgets::account_of(std::uint32_t budget) {
  Account& account = numbers_[budget];
  if (account.call != call_) {
    account = {call_, static_cast<std::uint32_t>(accounts_.left.size())};
    const BudgetRoom& of = room_.budgets()[budget];
    accounts_.left.push_back(of.allowed);
    accounts_.is_soft.push_back(room_.rules() != RuleSet::Upstream && of.is_ours);
  }
  return account.number;
}

void UnitBudgets::open_accounts(std::span<const HoldingUnit> units, Which which) {
  ++call_;
  numbers_.resize(room_.budgets().size());
  accounts_.clear();
  has_hard_ = false;
  for (const HoldingUnit& each : units) {
    for_each_pod(each, [&](const RoomHolding& pod) {
      for (const std::uint32_t number : room_.kinds().budgets_of(pod.kind)) {
        const BudgetRoom& budget = room_.budgets()[number];
        has_hard_ = has_hard_ || budget.is_hard;
        if ((which == Which::Hard && !budget.is_hard) || is_uncharged(budget, pod)) continue;
        accounts_.covering.push_back(account_of(number));
      }
      accounts_.end_pod();
    });
    accounts_.end_unit();
  }
}

// Units that a hard budget keeps, and the others.
void UnitBudgets::forbid(std::span<const HoldingUnit> units) {
  open_accounts(units, Which::Hard);
  const auto forbidden = forbidding(accounts_);
  kept_.clear();
  for (std::size_t i = 0; i < units.size(); ++i) {
    charges_.forbidden[i] = forbidden[i].has_value();
    if (!forbidden[i]) kept_.push_back(units[i]);
  }
}

const UnitCharges& UnitBudgets::charge(std::span<const HoldingUnit> units) {
  charges_.forbidden.assign(units.size(), false);
  charges_.violating.assign(units.size(), {});
  if (!room_.has_budgets()) return charges_;
  open_accounts(units, Which::All);
  if (has_hard_ && room_.rules() != RuleSet::Upstream) {
    forbid(units);
    open_accounts(kept_, Which::All);
  }
  charge_all(accounts_, room_.rules(), breaks_);
  std::size_t next = 0;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (!charges_.forbidden[i]) charges_.violating[i] = breaks_[next++];
  }
  return charges_;
}

}  // namespace elbowroom::policy
