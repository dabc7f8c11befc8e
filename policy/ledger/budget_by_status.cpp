#include "policy/ledger/budget_by_status.h"

#include <algorithm>

#include "policy/preemption/budget_charge.h"

namespace elbowroom::policy {
namespace {

bool is_recent(const DisruptionBudget& budget, Time now) {
  const BudgetStatus& status = budget.status;
  if (!status.observed_time || status.observed_generation != budget.generation) return false;
  const auto age = now - *status.observed_time;
  return age <= kStatusLasts && age >= -kStatusLasts;
}

// Requires a status with a time.
std::int64_t entered_since(const DisruptionBudget& budget) {
  return std::ranges::count_if(budget.recent, [&](const LedgerEntry& each) {
    return each.time >= *budget.status.observed_time;
  });
}

}  // namespace

bool spares_by_status(const DisruptionBudget& budget, Time now) {
  if (budget.unhealthy != UnhealthyPodEviction::IfHealthyBudget) {
    return budget.unhealthy == UnhealthyPodEviction::AlwaysAllow;
  }
  const std::int64_t desired = budget.status.desired_healthy;
  return is_recent(budget, now) && desired > 0 &&
         budget.status.current_healthy - entered_since(budget) >= desired;
}

std::int64_t allowed_by_status(const DisruptionBudget& budget, Time now) {
  if (!is_recent(budget, now)) return 0;
  return std::max<std::int64_t>(0, budget.status.disruptions_allowed - entered_since(budget));
}

DisruptionBudget wall_of(const DisruptionBudget& budget, Time now) {
  DisruptionBudget wall;
  wall.ns = budget.ns;
  wall.name = budget.name;
  wall.uid = budget.uid;
  wall.selector = budget.selector;
  wall.hard = true;
  wall.unhealthy = spares_by_status(budget, now) ? UnhealthyPodEviction::AlwaysAllow
                                                 : UnhealthyPodEviction::IfHealthyBudget;
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
