#include "policy/placement/gang_victims.h"

#include <algorithm>
#include <set>
#include <utility>

#include "policy/model/importance.h"
#include "policy/placement/gang_seating.h"
#include "policy/placement/unit_budgets.h"
#include "policy/preemption/reprieve.h"

namespace elbowroom::policy {
namespace {

constexpr std::int64_t kRaised = std::int64_t{1} << 31;

bool is_marked_for(const RoomHolding& pod, const Gang& gang) {
  return pod.mark && pod.mark->uid == gang.standing.uid && pod.mark->generation == 0;
}

}  // namespace

GangVictims::GangVictims(GangTrial& trial, const Gang& gang, const ScheduleTerms& terms,
                         std::size_t needed)
    : trial_(trial), gang_(gang), terms_(terms), needed_(needed) {
  trial_.find_units(gang.standing.priority);
  rate();
}

// Budgets are charged over all potential victims of the cluster.
void GangVictims::rate() {
  const std::size_t count = trial_.units().size();
  violating_.assign(count, 0);
  is_forbidden_.assign(count, false);
  is_marked_.assign(count, false);
  const bool upstream = trial_.room().rules() == RuleSet::Upstream;
  for (std::uint32_t unit = 0; unit < count && !upstream; ++unit) {
    is_marked_[unit] = any_pod(trial_.units()[unit].unit, [this](const RoomHolding& pod) {
      return is_marked_for(pod, gang_);
    });
  }
  if (trial_.room().budgets().empty()) return;
  std::vector<std::uint32_t> all(count);
  for (std::uint32_t unit = 0; unit < count; ++unit) all[unit] = unit;
  const std::vector<std::uint32_t> ordered = by_importance(std::move(all));
  std::vector<HoldingUnit> units;
  units.reserve(count);
  for (const std::uint32_t unit : ordered) units.push_back(trial_.units()[unit].unit);
  const UnitCharges charges = charge_budgets(trial_.room(), units);
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    violating_[ordered[i]] = charges.violating[i];
    is_forbidden_[ordered[i]] = charges.forbidden[i];
  }
}

bool GangVictims::choose() {
  const bool upstream = trial_.room().rules() == RuleSet::Upstream;
  const auto ceiling = lowest_ceiling();
  if (!ceiling) return false;
  ceiling_ = *ceiling;
  if (upstream || trial_.looks_around() || !place_with_least_harm()) {
    if (!place_by_score()) return false;
  }
  reprieve();
  return true;
}

bool GangVictims::is_up_to(std::uint32_t unit, std::int64_t ceiling) const {
  return !is_forbidden_[unit] && priority_of(trial_.units()[unit].unit) <= ceiling;
}

void GangVictims::remove_up_to(std::int64_t ceiling) {
  std::vector<bool> gone(trial_.units().size());
  for (std::uint32_t unit = 0; unit < gone.size(); ++unit) gone[unit] = is_up_to(unit, ceiling);
  trial_.set_gone(gone);
}

void GangVictims::put_all_back() {
  trial_.set_gone(std::vector<bool>(trial_.units().size(), false));
}

bool GangVictims::fits_below(std::int64_t ceiling) {
  remove_up_to(ceiling);
  const bool fits = seat(trial_, needed_);
  trial_.take_back_all();
  put_all_back();
  return fits;
}

// By binary search: where a ceiling is enough, so is every higher one. Upstream has no ceiling.
std::optional<std::int64_t> GangVictims::lowest_ceiling() {
  std::set<std::int64_t> priorities;
  for (std::uint32_t unit = 0; unit < trial_.units().size(); ++unit) {
    if (!is_forbidden_[unit]) priorities.insert(priority_of(trial_.units()[unit].unit));
  }
  const std::vector<std::int64_t> sorted(priorities.begin(), priorities.end());
  if (sorted.empty() || !fits_below(sorted.back())) return std::nullopt;
  if (trial_.room().rules() == RuleSet::Upstream) return sorted.back();
  std::size_t low = 0;
  std::size_t high = sorted.size() - 1;  // enough
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (fits_below(sorted[middle])) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return sorted[high];
}

// ---- the placement of least harm ----

GangVictims::Cost GangVictims::cost_of(const std::vector<std::uint32_t>& units) const {
  Cost cost;
  std::optional<Importance> first;
  for (const std::uint32_t unit : units) {
    const HoldingUnit& of = trial_.units()[unit].unit;
    const auto pods = static_cast<std::int64_t>(members_of(of));
    cost.violations += violating_[unit];
    cost.priorities += pods * (priority_of(of) + kRaised);
    cost.victims += pods;
    const Importance importance = importance_of(rank_of(of), trial_.room().rules());
    if (first && *first < importance) continue;
    first = importance;
    const std::optional<Time> start = start_of(of);
    cost.has_started = start.has_value();
    cost.negated_start = start ? -start->time_since_epoch().count() : 0;
  }
  return cost;
}

// The units of the node that would have to go, beside those that are gone already, so that the
// member fits there.
GangVictims::Seat GangVictims::seat_on(std::size_t member, std::uint32_t node) {
  Seat made{.node = node};
  if (trial_.fits(member, node)) {
    made.fits = true;
    return made;
  }
  std::vector<std::uint32_t> there;
  for (const std::uint32_t unit : trial_.units_on(node)) {
    if (!trial_.units()[unit].is_gone && is_up_to(unit, ceiling_)) there.push_back(unit);
  }
  if (there.empty()) return made;
  there = by_importance(std::move(there));
  for (const std::uint32_t unit : there) trial_.remove(unit);
  made.fits = trial_.fits(member, node);
  if (made.fits) {
    const auto status_of = [&](std::size_t i) -> ReprieveStatus {
      return {violating_[there[i]] > 0, is_marked_[there[i]]};
    };
    reprieve_in_order(there.size(), status_of, [&](std::size_t i) {
      trial_.put_back(there[i]);
      if (trial_.fits(member, node)) return;
      trial_.remove(there[i]);
      made.victims.push_back(there[i]);
    });
    made.cost = cost_of(made.victims);
  }
  for (const std::uint32_t unit : there) trial_.put_back(unit);
  return made;
}

// One member after the other, each on the node where it costs least beside those placed before. The
// cost of a node changes when it takes a member, or when a unit with pods there goes.
bool GangVictims::place_with_least_harm() {
  std::vector<std::vector<Seat>> seats(trial_.classes());
  std::vector<std::size_t> place_of(trial_.room().nodes().size(), 0);
  for (std::size_t i = 0; i < trial_.nodes().size(); ++i) place_of[trial_.nodes()[i]] = i;
  std::size_t placed = 0;
  for (std::size_t member = 0; member < trial_.members() && placed < needed_; ++member) {
    std::vector<Seat>& of_class = seats[trial_.class_of(member)];
    if (of_class.empty()) {
      for (const std::uint32_t node : trial_.nodes()) of_class.push_back(seat_on(member, node));
    }
    const Seat* best = nullptr;
    for (const Seat& each : of_class) {
      if (each.fits && (best == nullptr || each.cost < best->cost)) best = &each;
    }
    if (best == nullptr) continue;
    std::set<std::uint32_t> touched = {best->node};
    const Seat chosen = *best;
    for (const std::uint32_t unit : chosen.victims) {
      trial_.remove(unit);
      touched.insert(trial_.units()[unit].nodes.begin(), trial_.units()[unit].nodes.end());
    }
    trial_.place(member, chosen.node);
    ++placed;
    for (std::size_t kind = 0; kind < seats.size(); ++kind) {
      if (seats[kind].empty()) continue;
      for (const std::uint32_t node : touched) {
        seats[kind][place_of[node]] = seat_on(trial_.first_of_class(kind), node);
      }
    }
  }
  if (placed >= needed_) return true;
  trial_.take_back_all();
  put_all_back();
  return false;
}

bool GangVictims::place_by_score() {
  remove_up_to(ceiling_);
  const bool upstream = trial_.room().rules() == RuleSet::Upstream;
  if (upstream && seat_all(trial_) >= needed_) return true;
  trial_.take_back_all();
  if (!upstream && seat(trial_, needed_)) return true;
  put_all_back();
  return false;
}

// ---- reprieve ----

std::vector<std::uint32_t> GangVictims::by_importance(std::vector<std::uint32_t> units) const {
  std::vector<std::pair<Importance, std::uint32_t>> keyed;
  keyed.reserve(units.size());
  for (const std::uint32_t unit : units) {
    keyed.emplace_back(importance_of(rank_of(trial_.units()[unit].unit), trial_.room().rules()),
                       unit);
  }
  std::ranges::sort(keyed);
  for (std::size_t i = 0; i < keyed.size(); ++i) units[i] = keyed[i].second;
  return units;
}

void GangVictims::reprieve() {
  std::vector<std::uint32_t> gone;
  for (std::uint32_t unit = 0; unit < trial_.units().size(); ++unit) {
    if (trial_.units()[unit].is_gone) gone.push_back(unit);
  }
  gone = by_importance(std::move(gone));
  const auto status_of = [&](std::size_t i) -> ReprieveStatus {
    return {violating_[gone[i]] > 0, is_marked_[gone[i]]};
  };
  std::vector<bool> goes(gone.size(), false);
  reprieve_in_order(gone.size(), status_of, [&](std::size_t i) {
    const std::uint32_t unit = gone[i];
    trial_.put_back(unit);
    const auto& nodes = trial_.units()[unit].nodes;
    const bool fits = std::ranges::all_of(
        nodes, [this](std::uint32_t node) { return trial_.still_fit_on(node); });
    if (fits) return;
    trial_.remove(unit);
    goes[i] = true;
  });
  for (std::size_t i = 0; i < gone.size(); ++i) {
    if (goes[i]) chosen_.push_back(gone[i]);
  }
}

// ---- what is told ----

int GangVictims::budget_violations() const {
  int sum = 0;
  for (const std::uint32_t unit : chosen_) sum += violating_[unit];
  return sum;
}

std::vector<VictimReport> GangVictims::reports() const {
  std::vector<VictimReport> reports;
  for (const std::uint32_t unit : chosen_) {
    const TrialUnit& of = trial_.units()[unit];
    const std::string priority = std::to_string(priority_of(of.unit));
    std::size_t at = 0;
    for_each_pod(of.unit, [&](const RoomHolding& pod) {
      const std::string& node = trial_.room().nodes()[of.nodes[at++]].name;
      std::string why = "priority " + priority + "; its room on node " + node + " is needed";
      if (of.unit.group != nullptr) {
        why = "priority " + priority + " of pod group " + std::string(of.unit.group->key) +
              ", which is removed as one; runs on node " + node;
      }
      if (violating_[unit] > 0) why += "; sparing its disruption budget would not be enough";
      if (is_marked_[unit]) why += "; was marked to make room for this group already";
      reports.push_back(
          {.pod = pod.key,
           .uid = pod.uid,
           .priority = priority_of(of.unit),
           .violates_budget = violating_[unit] > 0,
           .why = std::move(why),
           .unit = of.unit.group == nullptr ? pod.key : std::string(of.unit.group->key)});
    });
  }
  return reports;
}

std::string GangVictims::in_vain() const {
  std::size_t pods = 0;
  for (std::uint32_t unit = 0; unit < trial_.units().size(); ++unit) {
    if (!is_forbidden_[unit]) pods += members_of(trial_.units()[unit].unit);
  }
  if (pods == 0) return "preemption: No preemption victims found for incoming pod group.";
  return "preemption: removing all pods that may be removed (" + std::to_string(pods) +
         ") would not be enough.";
}

}  // namespace elbowroom::policy
