#include "policy/placement/gang_victims.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "policy/placement/gang_least_harm.h"
#include "policy/placement/gang_seating.h"
#include "policy/preemption/preemption_messages.h"

namespace elbowroom::policy {
namespace {

Seating place(GangTrial& trial, const GangUnits& units, const GangLimit& limit,
              std::size_t needed) {
  std::vector<bool> gone(trial.units().size());
  for (std::uint32_t unit = 0; unit < gone.size(); ++unit) gone[unit] = units.may_go(unit, limit);
  trial.set_gone(gone);
  if (trial.room().rules() == RuleSet::Elbowroom) return seat(trial, needed);
  // Upstream takes as many members as possible, and tries no other way.
  return seat_all(trial) >= needed ? Seating::Seated : Seating::NoRoom;
}

}  // namespace

bool GangVictims::choose() {
  const auto limit = least_limit();
  if (!limit) return false;
  if (trial_.room().rules() == RuleSet::Elbowroom) {
    using enum SeatOrder;
    for (const SeatOrder order : {AsGiven, CheapestFirst, Filling}) {
      if (order == CheapestFirst && trial_.classes() == 1) continue;  // the same as AsGiven
      if (place_with_least_harm(trial_, units_, *limit, needed_, order)) consider();
    }
  }
  if (place(trial_, units_, *limit, needed_) == Seating::Seated) consider();
  settle();
  return true;
}

bool GangVictims::fits_within(const GangLimit& limit) {
  const Seating seated = place(trial_, units_, limit, needed_);
  trial_.clear();
  gave_up_ = seated == Seating::GaveUp;
  return seated == Seating::Seated;
}

// As for a single pod, a budget that is kept comes before priorities. Upstream weighs neither.
std::optional<GangLimit> GangVictims::least_limit() {
  const bool upstream = trial_.room().rules() == RuleSet::Upstream;
  if (!upstream && units_.any_breaks_budget()) {
    if (const auto limit = lowest_limit(true)) return limit;
    gave_up_on_budgets_ = gave_up_;
  }
  return lowest_limit(false);
}

// By binary search: where a ceiling is enough, so is every higher one. Upstream has no ceiling.
std::optional<GangLimit> GangVictims::lowest_limit(bool spares_budgets) {
  const std::set<std::int64_t> priorities = units_.priorities(spares_budgets);
  const std::vector<std::int64_t> sorted(priorities.begin(), priorities.end());
  const auto up_to = [&](std::int64_t ceiling) { return GangLimit{ceiling, spares_budgets}; };
  gave_up_ = false;
  if (sorted.empty() || !fits_within(up_to(sorted.back()))) return std::nullopt;
  if (trial_.room().rules() == RuleSet::Upstream) return up_to(sorted.back());
  std::size_t low = 0;
  std::size_t high = sorted.size() - 1;  // enough
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (fits_within(up_to(sorted[middle]))) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return up_to(sorted[high]);
}

// Puts back what can stay beside the placement of the trial, keeps the placement where it does less
// harm than those before, and empties the trial.
void GangVictims::consider() {
  std::vector<std::uint32_t> gone;
  for (std::uint32_t unit = 0; unit < trial_.units().size(); ++unit) {
    if (trial_.units()[unit].is_gone) gone.push_back(unit);
  }
  const auto stays = [this](std::uint32_t unit) {
    trial_.put_back(unit);
    const bool fits = std::ranges::all_of(trial_.units()[unit].nodes, [this](std::uint32_t node) {
      return trial_.still_fit_on(node);
    });
    if (!fits) trial_.remove(unit);
    return fits;
  };
  Placement made{.victims = units_.reprieve(std::move(gone), stays)};
  made.harm = units_.harm_of(made.victims);
  for (const std::size_t member : trial_.placed()) {
    made.nodes.emplace_back(member, trial_.node_of(member));
  }
  if (!best_ || made.harm < best_->harm) best_ = std::move(made);
  trial_.clear();
}

void GangVictims::settle() {
  std::vector<bool> gone(trial_.units().size(), false);
  for (const std::uint32_t unit : best_->victims) gone[unit] = true;
  trial_.set_gone(gone);
  for (const auto& [member, node] : best_->nodes) trial_.place(member, node);
}

// ---- what is told ----

int GangVictims::budget_violations() const {
  int sum = 0;
  for (const std::uint32_t unit : chosen()) sum += units_.violating(unit).any;
  return sum;
}

std::vector<VictimReport> GangVictims::reports() const {
  std::vector<VictimReport> reports;
  for (const std::uint32_t unit : chosen()) {
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
      why += units_.violating(unit).firm > 0 && gave_up_on_budgets_
                 ? "; no placement was found that spares its disruption budget"
                 : broken_budget(units_.violating(unit));
      if (units_.is_marked(unit)) why += "; was marked to make room for this group already";
      reports.push_back(
          {.pod = pod.key,
           .uid = pod.uid,
           .priority = priority_of(of.unit),
           .violates_budget = units_.violating(unit).any > 0,
           .why = std::move(why),
           .unit = of.unit.group == nullptr ? pod.key : std::string(of.unit.group->key)});
    });
  }
  return reports;
}

void GangVictims::remove_all() const {
  trial_.clear();
  std::vector<bool> gone(trial_.units().size());
  const GangLimit all{std::numeric_limits<std::int64_t>::max(), false};
  for (std::uint32_t unit = 0; unit < gone.size(); ++unit) gone[unit] = units_.may_go(unit, all);
  trial_.set_gone(gone);
}

std::string GangVictims::in_vain(const StoppedMember* stopped) const {
  if (stopped != nullptr && !stopped->is_room) {
    return "preemption: Preemption is not helpful for scheduling " +
           key_of(trial_.pod(stopped->member)) + ".";
  }
  const std::size_t pods = units_.pods();
  if (pods == 0) return "preemption: No preemption victims found for incoming pod group.";
  return "preemption: removing all pods that may be removed (" + std::to_string(pods) +
         ") would not be enough." + (gave_up_ ? gave_up_in_words(trial_) : "");
}

}  // namespace elbowroom::policy
