#include "policy/placement/unit_budgets.h"

#include <algorithm>
#include <string_view>

#include "policy/preemption/budget_account.h"

namespace elbowroom::policy {
namespace {

// Whether the budget's status counts the pod as disrupted already.
bool is_disrupted(const BudgetRoom& budget, const RoomHolding& pod) {
  if (budget.debited.contains(pod.uid)) return true;
  if (budget.disrupted_pods.empty()) return false;
  return budget.disrupted_pods.contains(std::string_view(pod.key).substr(pod.key.find('/') + 1));
}

void keep_each_once(std::vector<std::uint32_t>& numbers) {
  std::ranges::sort(numbers);
  const auto repeated = std::ranges::unique(numbers);
  numbers.erase(repeated.begin(), repeated.end());
}

// The budgets that cover a pod of a unit, by number.
std::vector<std::uint32_t> covering_budgets(const ClusterRoom& room,
                                            std::span<const HoldingUnit> units) {
  std::vector<std::uint32_t> sets;
  for (const HoldingUnit& each : units) {
    for_each_pod(each, [&](const RoomHolding& pod) {
      const std::uint32_t set = room.kinds().budget_set_of(pod.kind);
      if (set != 0 && (sets.empty() || sets.back() != set)) sets.push_back(set);
    });
  }
  keep_each_once(sets);
  std::vector<std::uint32_t> numbers;
  for (const std::uint32_t set : sets) {
    const std::vector<std::uint32_t>& budgets = room.kinds().budgets_in(set);
    numbers.insert(numbers.end(), budgets.begin(), budgets.end());
  }
  keep_each_once(numbers);
  return numbers;
}

BudgetAccounts charged_to(const ClusterRoom& room, const std::vector<std::uint32_t>& numbers,
                          std::span<const HoldingUnit> units, bool only_hard) {
  BudgetAccounts made;
  made.left.reserve(numbers.size());
  for (const std::uint32_t number : numbers) made.left.push_back(room.budgets()[number].allowed);
  made.covering.reserve(units.size());
  made.pod_ends.reserve(units.size());
  made.unit_ends.reserve(units.size());
  for (const HoldingUnit& each : units) {
    for_each_pod(each, [&](const RoomHolding& pod) {
      for (const std::uint32_t number : room.kinds().budgets_of(pod.kind)) {
        const BudgetRoom& budget = room.budgets()[number];
        if ((only_hard && !budget.is_hard) || is_disrupted(budget, pod)) continue;
        const auto at = std::ranges::lower_bound(numbers, number);
        made.covering.push_back(static_cast<std::uint32_t>(at - numbers.begin()));
      }
      made.end_pod();
    });
    made.end_unit();
  }
  return made;
}

}  // namespace

UnitCharges charge_budgets(const ClusterRoom& room, std::span<const HoldingUnit> units) {
  UnitCharges made{.forbidden = std::vector<bool>(units.size(), false),
                   .violating = std::vector<std::int32_t>(units.size(), 0)};
  if (!room.has_budgets()) return made;
  const std::vector<std::uint32_t> numbers = covering_budgets(room, units);
  if (numbers.empty()) return made;
  std::span<const HoldingUnit> charged = units;
  std::vector<HoldingUnit> kept;  // some units may not go
  const bool has_hard = std::ranges::any_of(
      numbers, [&](std::uint32_t number) { return room.budgets()[number].is_hard; });
  if (has_hard && room.rules() != RuleSet::Upstream) {
    const auto forbidden = forbidding(charged_to(room, numbers, units, true));
    for (std::size_t i = 0; i < units.size(); ++i) {
      made.forbidden[i] = forbidden[i].has_value();
      if (!forbidden[i]) kept.push_back(units[i]);
    }
    charged = kept;
  }
  const auto breaks = breaking(charged_to(room, numbers, charged, false), room.rules());
  std::size_t next = 0;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (!made.forbidden[i]) made.violating[i] = breaks[next++];
  }
  return made;
}

}  // namespace elbowroom::policy
