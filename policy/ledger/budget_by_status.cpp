#include "policy/ledger/budget_by_status.h"

#include <algorithm>

#include "policy/preemption/budget_charge.h"

namespace elbowroom::policy {

std::int64_t allowed_by_status(const DisruptionBudget& budget, Time now) {
  const BudgetStatus& status = budget.status;
  if (!status.observed_time || status.observed_generation != budget.generation) return 0;
  const auto age = now - *status.observed_time;
  if (age > kStatusLasts || age < -kStatusLasts) return 0;
  const auto since = std::ranges::count_if(
      budget.recent, [&](const LedgerEntry& each) { return each.time >= *status.observed_time; });
  return std::max<std::int64_t>(0, status.disruptions_allowed - since);
}

DisruptionBudget wall_of(const DisruptionBudget& budget, Time now) {
  DisruptionBudget wall;
  wall.ns = budget.ns;
  wall.name = budget.name;
  wall.uid = budget.uid;
  wall.selector = budget.selector;
  wall.hard = true;
  wall.rate_per = kTimeToRemove;
  for (const LedgerEntry& each : budget.recent) {
    const bool is_removed = now - each.time < kTimeToRemove && is_charged(budget, each, now);
    if (!is_removed) continue;
    wall.recent.push_back(each);
    wall.recent.back().time = now;  // each is counted, and so is not charged once more
  }
  wall.rate_disruptions =
      allowed_by_status(budget, now) + static_cast<std::int64_t>(wall.recent.size());
  return wall;
}

}  // namespace elbowroom::policy
