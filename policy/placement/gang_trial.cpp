#include "policy/placement/gang_trial.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "policy/model/charge.h"
#include "policy/placement/gang_classes.h"

namespace elbowroom::policy {

GangTrial::GangTrial(ClusterRoom& room, std::span<const Pod* const> members,
                     const ScheduleTerms& terms, Leaving leaving)
    : room_(room), terms_(terms), leaving_(leaving), room_units_(room, terms) {
  sort_into_classes(members);
  // Once every kind is known, as filters count by kind.
  for (const Pod* pod : of_class_) held_kinds_.push_back(room_.hold_kind(*pod));
  filters_.reserve(of_class_.size());
  const FilterTime when = leaving == Leaving::Gone ? FilterTime::AfterTermination : FilterTime::Now;
  for (const Pod* pod : of_class_) {
    filters_.emplace_back(room_, *pod, terms_, when);
    looks_around_ = looks_around_ || filters_.back().looks_around();
  }
  for (Member& each : members_) {
    each.holding = room_.holding_of(*each.pod, held_kinds_[each.kind]);
  }
  numbers_ = room_.node_numbers();
  states_.resize(room_.nodes().size());
  for (const std::uint32_t node : numbers_) {
    const NodeTotals& figures = room_.figures()[node];
    if (figures.has_claims || (leaving == Leaving::Gone && figures.has_terminating)) {
      sum_up(node);
    } else {
      states_[node].used = room_.nodes()[node].used;
      states_[node].pods = figures.pods;
    }
  }
}

GangTrial::~GangTrial() {
  for (std::size_t kind = 0; kind < held_kinds_.size(); ++kind) {
    room_.let_go_of_kind(held_kinds_[kind]);
  }
}

void GangTrial::sort_into_classes(std::span<const Pod* const> members) {
  members_.reserve(members.size());
  const std::vector<std::size_t> classes = classes_of(room_, members, terms_);
  for (std::size_t member = 0; member < members.size(); ++member) {
    if (classes[member] == of_class_.size()) {
      of_class_.push_back(members[member]);
      first_.push_back(member);
    }
    members_.push_back({.pod = members[member], .kind = classes[member]});
  }
}

// ---- what is on a node ----

bool GangTrial::counts(const RoomHolding& holding) const {
  return leaving_ == Leaving::Stay || !holding.is_terminating() ||
         terms_.lapsed.overdue.contains(holding.uid);
}

void GangTrial::sum_up(std::uint32_t node) {
  State& state = states_[node];
  state.used = {};
  state.claims.clear();
  state.pods = static_cast<std::int64_t>(state.members.size());
  const auto add = [&](const RoomHolding& pod) {
    add_to(state.used, pod.charge);
    if (!pod.claims.empty()) add_claims(state.used, state.claims, pod.claims);
    ++state.pods;
  };
  if (units_.empty()) {
    for (const RoomHolding& each : room_.nodes()[node].holders) {
      if (counts(each)) add(each);
    }
  } else {
    for (const Holder& each : state.holders) {
      if (each.unit == kNone || !units_[each.unit].is_gone) add(*each.pod);
    }
  }
  for (const std::size_t member : state.members)
    add_to(state.used, members_[member].holding.charge);
}

void GangTrial::tally(const RoomHolding& holding, std::uint32_t node, int sign) {
  if (!looks_around_) return;
  for (NodeFilter& filter : filters_) filter.count_also(holding, node, sign);
}

Occupancy GangTrial::occupancy(std::size_t kind, std::uint32_t node) const {
  const State& state = states_[node];
  const NodeFilter& filter = filters_[kind];
  Occupancy made = filter.unchanged();
  made.used = state.used;
  made.pods = state.pods;
  if (!filter.needs_ports()) return made;
  const auto add_ports = [&](const RoomHolding& pod) {
    made.port_conflicts += filter.ports_conflict(pod) ? 1 : 0;
  };
  if (units_.empty()) {
    for (const RoomHolding& each : room_.nodes()[node].holders) {
      if (counts(each)) add_ports(each);
    }
  } else {
    for (const Holder& each : state.holders) {
      if (each.unit == kNone || !units_[each.unit].is_gone) add_ports(*each.pod);
    }
  }
  for (const std::size_t member : state.members) add_ports(members_[member].holding);
  return made;
}

Refusal GangTrial::refusal(std::size_t member, std::uint32_t node) const {
  const std::size_t kind = members_[member].kind;
  const NodeFilter& filter = filters_[kind];
  const Refusal standing = filter.permanent_refusal(node);
  if (standing.code != NodeCode::Success) return standing;
  // A node that does not answer frees no room and takes no pod that waits for room there.
  const NodeReady ready = room_.nodes()[node].node.ready;
  const bool is_silent = ready == NodeReady::False || ready == NodeReady::Unknown;
  if (leaving_ == Leaving::Gone && is_silent && room_.rules() == RuleSet::Elbowroom) {
    const Refusal now = filter.refusal(node);
    if (now.code != NodeCode::Success) return now;
  }
  return filter.refusal_beside(node, occupancy(kind, node));
}

bool GangTrial::still_fit_on(std::uint32_t node) {
  if (looks_around_) return still_fit_in_order();
  const std::vector<std::size_t> here = states_[node].members;
  return std::ranges::all_of(here, [this](std::size_t member) {
    const std::uint32_t where = members_[member].node;
    take_back(member);
    const bool fits_still = fits(member, where);
    place(member, where);
    return fits_still;
  });
}

// A member is judged beside those before it, as a scheduler does that binds one after the other.
bool GangTrial::still_fit_in_order() {
  const std::vector<std::size_t> order = placed_;
  std::vector<std::uint32_t> nodes;
  for (const std::size_t member : order) nodes.push_back(members_[member].node);
  take_back_all();
  bool all_fit = true;
  for (std::size_t i = 0; i < order.size(); ++i) {
    all_fit = all_fit && fits(order[i], nodes[i]);
    place(order[i], nodes[i]);
  }
  return all_fit;
}

NodeTotals GangTrial::totals_on(std::uint32_t node) const {
  NodeTotals totals = room_.figures()[node];
  const State& state = states_[node];
  totals.used_cpu = state.used.cpu.value;
  totals.used_memory = state.used.memory.value;
  totals.pods = state.pods;
  for (const std::size_t member : state.members) {
    const Resources scored = scored_charge(members_[member].holding.charge);
    totals.scored_cpu = saturating_add(totals.scored_cpu, scored.cpu.value);
    totals.scored_memory = saturating_add(totals.scored_memory, scored.memory.value);
  }
  return totals;
}

// ---- members ----

void GangTrial::place(std::size_t member, std::uint32_t node) {
  Member& placed = members_[member];
  placed.node = node;
  placed_.push_back(member);
  State& state = states_[node];
  state.members.push_back(member);
  add_to(state.used, placed.holding.charge);
  ++state.pods;
  tally(placed.holding, node, 1);
}

void GangTrial::take_back(std::size_t member) {
  Member& placed = members_[member];
  if (placed.node == kNone) return;
  const std::uint32_t node = std::exchange(placed.node, kNone);
  std::erase(states_[node].members, member);
  placed_.erase(std::prev(std::find(placed_.rbegin(), placed_.rend(), member).base()));
  tally(placed.holding, node, -1);
  sum_up(node);
}

void GangTrial::take_back_all() {
  while (!placed_.empty()) take_back(placed_.back());
}

// ---- units ----

void GangTrial::find_units(std::int32_t below) {
  const auto may_go = [this](const RoomHolding& pod) {
    if (pod.is_fixed || (pod.is_terminating() && room_.rules() == RuleSet::Elbowroom)) return false;
    return !terms_.unremovable.contains(pod.uid);
  };
  std::map<std::uint32_t, std::uint32_t> of_group;  // the unit of each group; kNone: it stays
  const auto unit_of_group = [&](std::uint32_t group) {
    const auto [at, added] = of_group.try_emplace(group, kNone);
    if (!added) return at->second;
    const RoomUnits::Whole whole = room_units_.whole(group);
    const HoldingUnit unit(whole.unit);
    const bool stays = priority_of(unit) >= below || !whole.unit.kept_by.empty() ||
                       any_pod(unit, [&](const RoomHolding& pod) { return !may_go(pod); });
    if (stays) return at->second;
    at->second = static_cast<std::uint32_t>(units_.size());
    units_.push_back({.unit = unit, .nodes = {whole.nodes.begin(), whole.nodes.end()}});
    return at->second;
  };
  for (const std::uint32_t node : numbers_) {
    const NodeRoom& of = room_.nodes()[node];
    State& state = states_[node];
    state.holders.reserve(of.holders.size());
    const bool keeps_all = is_stuck(room_, node, terms_);
    for (const RoomHolding& pod : of.holders) {
      if (!counts(pod)) continue;
      std::uint32_t unit = kNone;
      if (const std::uint32_t group = room_units_.group_of(pod); group != 0) {
        unit = unit_of_group(group);
      } else if (!keeps_all && priority_of(pod) < below && may_go(pod) &&
                 !room_.groups()[pod.group].standing.is_unclear()) {
        unit = static_cast<std::uint32_t>(units_.size());
        units_.push_back({.unit = HoldingUnit(&pod), .nodes = {node}});
      }
      state.holders.push_back({.pod = &pod, .unit = unit});
    }
  }
}

std::vector<std::uint32_t> GangTrial::units_on(std::uint32_t node) const {
  std::vector<std::uint32_t> numbers;
  for (const Holder& each : states_[node].holders) {
    if (each.unit != kNone) numbers.push_back(each.unit);
  }
  std::ranges::sort(numbers);
  const auto repeated = std::ranges::unique(numbers);
  numbers.erase(repeated.begin(), repeated.end());
  return numbers;
}

void GangTrial::remove(std::uint32_t unit) { change(unit, true); }
void GangTrial::put_back(std::uint32_t unit) { change(unit, false); }

void GangTrial::remove_on(std::uint32_t unit, std::uint32_t node) { change_on(unit, node, true); }
void GangTrial::put_back_on(std::uint32_t unit, std::uint32_t node) {
  change_on(unit, node, false);
}

void GangTrial::change_on(std::uint32_t unit, std::uint32_t node, bool is_gone) {
  TrialUnit& of = units_[unit];
  if (looks_around_ || of.unit.group == nullptr) return change(unit, is_gone);
  if (of.is_gone == is_gone) return;
  of.is_gone = is_gone;
  sum_up(node);
}

void GangTrial::set_gone(const std::vector<bool>& gone) {
  std::vector<bool> touched(states_.size(), false);
  for (std::uint32_t unit = 0; unit < gone.size(); ++unit) {
    TrialUnit& of = units_[unit];
    if (of.is_gone == gone[unit]) continue;
    of.is_gone = gone[unit];
    std::size_t at = 0;
    for_each_pod(of.unit, [&](const RoomHolding& pod) {
      const std::uint32_t node = of.nodes[at++];
      touched[node] = true;
      tally(pod, node, of.is_gone ? -1 : 1);
    });
  }
  for (const std::uint32_t node : numbers_) {
    if (touched[node]) sum_up(node);
  }
}

void GangTrial::clear() {
  take_back_all();
  set_gone(std::vector<bool>(units_.size(), false));
}

void GangTrial::change(std::uint32_t unit, bool is_gone) {
  TrialUnit& of = units_[unit];
  if (of.is_gone == is_gone) return;
  of.is_gone = is_gone;
  std::size_t at = 0;
  for_each_pod(of.unit, [&](const RoomHolding& pod) {
    const std::uint32_t node = of.nodes[at++];
    tally(pod, node, is_gone ? -1 : 1);
    if (is_gone) return;
    State& state = states_[node];
    add_to(state.used, pod.charge);
    if (!pod.claims.empty()) add_claims(state.used, state.claims, pod.claims);
    ++state.pods;
  });
  if (!is_gone) return;
  std::uint32_t last = kNone;
  for (const std::uint32_t node : of.nodes) {  // those of one node come together
    if (std::exchange(last, node) != node) sum_up(node);
  }
}

}  // namespace elbowroom::policy
