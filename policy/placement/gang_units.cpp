#include "policy/placement/gang_units.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "policy/placement/unit_budgets.h"

namespace elbowroom::policy {
namespace {

constexpr std::int64_t kRaised = std::int64_t{1} << 31;

bool is_marked_for(const RoomHolding& pod, const Gang& gang) {
  return pod.mark && pod.mark->uid == gang.standing.uid && pod.mark->generation == 0;
}

}  // namespace

GangUnits::GangUnits(GangTrial& trial, const Gang& gang) : trial_(trial) {
  trial.find_units(gang.standing.priority);
  const std::size_t count = trial.units().size();
  violating_.assign(count, {});
  is_forbidden_.assign(count, false);
  is_marked_.assign(count, false);
  const bool upstream = trial.room().rules() == RuleSet::Upstream;
  for (std::uint32_t unit = 0; unit < count && !upstream; ++unit) {
    is_marked_[unit] = any_pod(trial.units()[unit].unit,
                               [&](const RoomHolding& pod) { return is_marked_for(pod, gang); });
  }
  importance_.reserve(count);
  for (const TrialUnit& each : trial.units()) {
    importance_.push_back(importance_of(rank_of(each.unit), trial.room().rules()));
  }
  if (trial.room().has_budgets()) charge();
}

// Over all potential victims of the cluster.
void GangUnits::charge() {
  std::vector<std::uint32_t> all(trial_.units().size());
  std::iota(all.begin(), all.end(), std::uint32_t{0});
  const std::vector<std::uint32_t> ordered = by_importance(std::move(all));
  std::vector<HoldingUnit> units;
  units.reserve(ordered.size());
  for (const std::uint32_t unit : ordered) units.push_back(trial_.units()[unit].unit);
  UnitBudgets budgets(trial_.room());
  const UnitCharges& charges = budgets.charge(units);
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    violating_[ordered[i]] = charges.violating[i];
    is_forbidden_[ordered[i]] = charges.forbidden[i];
  }
}

bool GangUnits::may_go(std::uint32_t unit, const GangLimit& limit) const {
  if (is_forbidden_[unit] || (limit.spares_budgets && violating_[unit].firm > 0)) return false;
  return priority_of(trial_.units()[unit].unit) <= limit.ceiling;
}

std::set<std::int64_t> GangUnits::priorities(bool spares_budgets) const {
  std::set<std::int64_t> found;
  const GangLimit any{std::numeric_limits<std::int64_t>::max(), spares_budgets};
  for (std::uint32_t unit = 0; unit < is_forbidden_.size(); ++unit) {
    if (may_go(unit, any)) found.insert(priority_of(trial_.units()[unit].unit));
  }
  return found;
}

bool GangUnits::any_breaks_budget() const {
  for (std::uint32_t unit = 0; unit < is_forbidden_.size(); ++unit) {
    if (!is_forbidden_[unit] && violating_[unit].firm > 0) return true;
  }
  return false;
}

std::size_t GangUnits::pods() const {
  std::size_t sum = 0;
  for (std::uint32_t unit = 0; unit < is_forbidden_.size(); ++unit) {
    if (!is_forbidden_[unit]) sum += members_of(trial_.units()[unit].unit);
  }
  return sum;
}

std::vector<std::uint32_t> GangUnits::by_importance(std::vector<std::uint32_t> units) const {
  std::ranges::sort(units, {},
                    [this](std::uint32_t unit) -> const Importance& { return importance_[unit]; });
  return units;
}

GangHarm GangUnits::harm_of(const std::vector<std::uint32_t>& units) const {
  GangHarm harm;
  const Importance* first = nullptr;
  for (const std::uint32_t unit : units) {
    const HoldingUnit& of = trial_.units()[unit].unit;
    const auto pods = static_cast<std::int64_t>(members_of(of));
    harm.violations += violating_[unit].firm;
    harm.soft_violations += violating_[unit].soft;
    harm.priorities += pods * (priority_of(of) + kRaised);
    harm.victims += pods;
    const Importance& importance = importance_[unit];
    if (first == nullptr || importance < *first) first = &importance;
  }
  if (first == nullptr) return harm;
  harm.has_started = !first->never_started;
  harm.negated_start = first->never_started ? 0 : -first->started.time_since_epoch().count();
  return harm;
}

}  // namespace elbowroom::policy
