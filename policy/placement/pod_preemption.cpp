#include "policy/placement/pod_preemption.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "policy/preemption/reprieve.h"

namespace elbowroom::policy {
bool terminates_late(const RoomHolding& holding, const Pod& pod, const ScheduleTerms& terms) {
  const bool is_late = terms.waits_until && holding.deletion > terms.waits_until;
  return is_late && !(holding.mark && holding.mark->uid == pod.uid);
}

bool PodPreemption::is_leaving(const RoomHolding& holding) const {
  return !upstream() && holding.is_terminating() && !is_overdue(holding) &&
         (late_ == Late::Leaves || !is_late(holding));
}

bool PodPreemption::may_be_victim(const HoldingUnit& unit) const {
  if (priority_of(unit) >= priority_) return false;
  if (unit.group == nullptr) {
    // It is not known which pods go with it.
    const bool is_unclear = filter_.room().groups()[unit.pod->group].standing.is_unclear();
    return !is_unclear && may_leave(*unit.pod);
  }
  if (!unit.group->kept_by.empty()) return false;
  return !any_pod(unit, [this](const RoomHolding& each) { return !may_leave(each); });
}

bool PodPreemption::is_marked(const HoldingUnit& unit) const {
  return !upstream() && any_pod(unit, [this](const RoomHolding& each) {
    return each.mark && each.mark->uid == filter_.pod().uid &&
           each.mark->generation == filter_.pod().generation;
  });
}

PodPreemption::Standing PodPreemption::standing_of(const HoldingUnit& group) const {
  const auto [known, added] = groups_.try_emplace(group.group->key);
  if (added) known->second = {may_be_victim(group), is_marked(group)};
  return known->second;
}

bool PodPreemption::may_lose_pods(std::uint32_t node) const {
  const std::string& only = terms_.removes_only_on;
  if (!only.empty() && only != filter_.room().nodes()[node].name) return false;
  return !is_stuck(filter_.room(), node, terms_);
}

bool PodPreemption::fits_after_termination(std::uint32_t node) const {
  const NodeRoom& room = filter_.room().nodes()[node];
  const auto leaving = [this](const RoomHolding& each) { return is_leaving(each); };
  if (room.node.ready == NodeReady::False || room.node.ready == NodeReady::Unknown) return false;
  const auto has_leaving_pod = [&] {
    return filter_.room().figures()[node].has_terminating &&
           std::ranges::any_of(room.holders, leaving);
  };
  if (!has_leaving_pod()) {
    if (!filter_.looks_around()) return false;
    if (filter_.needs_figures_alone(node)) {
      return filter_.refusal_by(filter_.room().figures()[node]).code == NodeCode::Success;
    }
  }
  Occupancy staying = filter_.empty(node);
  for (const RoomHolding& each : room.holders) {
    if (!is_leaving(each)) filter_.add(staying, node, each);
  }
  return filter_.refusal_beside(node, staying).code == NodeCode::Success;
}

void PodPreemption::charge(std::vector<RatedUnit>& rated) const {
  if (!filter_.room().has_budgets()) return;
  units_.clear();
  for (const RatedUnit& each : rated) units_.push_back(each.unit);
  const UnitCharges& charges = budgets_.charge(units_);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < rated.size(); ++i) {
    if (charges.forbidden[i]) continue;
    rated[i].violating = charges.violating[i];
    rated[kept++] = rated[i];
  }
  rated.resize(kept);
}

NodePreemption PodPreemption::on(std::uint32_t node) const {
  NodePreemption made{.node = node};
  if (!may_lose_pods(node)) return made;
  const Blocks<RoomHolding>& holders = filter_.room().nodes()[node].holders;
  const bool has_marked = filter_.room().figures()[node].has_marked;
  // Every pod is a unit of one.
  made.rated.resize(holders.size());
  std::size_t count = 0;
  for (const RoomHolding& each : holders) {
    const HoldingUnit unit(&each);
    if (!may_be_victim(unit)) continue;
    RatedUnit& rated = made.rated[count++];
    rated.unit = unit;
    rated.is_marked = has_marked && is_marked(unit);
  }
  made.rated.resize(count);
  return reprieved(std::move(made));
}

NodePreemption PodPreemption::on(std::uint32_t node, std::span<const HoldingUnit> units) const {
  NodePreemption made{.node = node};
  if (!may_lose_pods(node)) return made;
  for (const HoldingUnit& unit : units) {
    const Standing standing =
        unit.group == nullptr ? Standing{may_be_victim(unit), is_marked(unit)} : standing_of(unit);
    if (!standing.may_be_victim) continue;
    made.rated.push_back({.unit = unit, .is_marked = standing.is_marked});
    made.has_groups = made.has_groups || unit.group != nullptr;
  }
  return reprieved(std::move(made));
}

NodePreemption PodPreemption::reprieved(NodePreemption made) const {
  if (made.rated.empty()) return made;
  charge(made.rated);
  if (made.rated.empty()) return made;

  if (filter_.needs_figures_alone(made.node)) {
    reprieve_by_figures(made);
  } else {
    reprieve_beside(made);
  }
  return made;
}

// Where only cpu, memory, ephemeral storage and the number of pods count: most pods, on most nodes.
void PodPreemption::reprieve_by_figures(NodePreemption& made) const {
  const auto add = [](NodeTotals& to, const Resources& charge) {
    to.used_cpu = saturating_add(to.used_cpu, charge.cpu.value);
    to.used_memory = saturating_add(to.used_memory, charge.memory.value);
    to.used_ephemeral_storage =
        saturating_add(to.used_ephemeral_storage, charge.ephemeral_storage.value);
    ++to.pods;
  };
  NodeTotals staying = filter_.room().figures()[made.node];
  staying.used_cpu = staying.used_memory = staying.used_ephemeral_storage = staying.pods = 0;
  for_each_holding(filter_.room(), made, [&](const RoomHolding& each, const RatedUnit* goes) {
    if (goes == nullptr && !is_leaving(each)) add(staying, each.charge);
  });
  made.still = filter_.refusal_by(staying);
  if (made.still.code != NodeCode::Success) return;
  put_back(made, [&](const HoldingUnit& unit) {
    NodeTotals beside = staying;
    for (const RoomHolding* pod : pods_here(unit)) add(beside, pod->charge);
    const Refusal refusal = filter_.refusal_by(beside);
    if (refusal.code == NodeCode::Success) staying = beside;
    return refusal;
  });
}

void PodPreemption::reprieve_beside(NodePreemption& made) const {
  const std::uint32_t node = made.node;
  Occupancy staying = filter_.empty(node);
  for_each_holding(filter_.room(), made, [&](const RoomHolding& each, const RatedUnit* goes) {
    if (goes == nullptr && !is_leaving(each)) filter_.add(staying, node, each);
  });
  made.still = filter_.refusal_beside(node, staying);
  if (made.still.code != NodeCode::Success) {
    made.still_used = filter_.used_beside(node, staying);
    return;
  }
  put_back(made, [&](const HoldingUnit& unit) {
    Occupancy beside = staying;
    for (const RoomHolding* pod : pods_here(unit)) filter_.add(beside, node, *pod);
    const Refusal refusal = filter_.refusal_beside(node, beside);
    if (refusal.code == NodeCode::Success) staying = std::move(beside);
    return refusal;
  });
}

template <class TryBack>
void PodPreemption::put_back(NodePreemption& made, TryBack try_back) {
  const auto status_of = [&made](std::size_t i) -> ReprieveStatus {
    const RatedUnit& each = made.rated[i];
    return {.priority = priority_of(each.unit),
            .breaks_budget = each.violating.firm > 0,
            .breaks_soft_budget = each.violating.soft > 0,
            .is_marked = each.is_marked};
  };
  reprieve_in_order(made.rated.size(), status_of, [&](std::size_t i) {
    RatedUnit& each = made.rated[i];
    each.without_it_gone = try_back(each.unit);
    each.goes = each.without_it_gone.code != NodeCode::Success;
    if (!each.goes) return;
    made.victims += static_cast<std::int64_t>(members_of(each.unit));
    made.violations.any += each.violating.any;
    made.violations.firm += each.violating.firm;
    made.violations.soft += each.violating.soft;
  });
}

namespace {

constexpr std::int64_t kRaised = std::int64_t{1} << 31;

// kube-scheduler compares nodes by the pods' own priorities, though it chose them by their groups'.
// Source: framework/preemption pickOneNodeForPreemption, scheduler/util GetEarliestPodStartTime
// (1.37).
void add_upstream(Harm& harm, const HoldingUnit& unit, bool is_first, std::optional<Time>& start,
                  std::int32_t& highest) {
  for_each_pod(unit, [&](const RoomHolding& pod) {
    harm.priorities += pod.own_priority + kRaised;
    if (std::exchange(is_first, false)) {
      harm.highest_priority = pod.own_priority;
      highest = pod.own_priority;
      start = pod.started;
    } else if (pod.own_priority > highest) {
      highest = pod.own_priority;
      start = pod.started;
    } else if (pod.own_priority == highest && pod.started && (!start || *pod.started < *start)) {
      start = pod.started;
    }
  });
}

}  // namespace

Harm harm_of(const ClusterRoom& room, const NodePreemption& preemption) {
  Harm harm{.budget_violations = preemption.violations.firm,
            .soft_violations = preemption.violations.soft,
            .victims = preemption.victims,
            .node = room.nodes()[preemption.node].name};
  const bool upstream = room.rules() == RuleSet::Upstream;
  bool is_first = true;       // the most important one
  std::optional<Time> start;  // upstream: the earliest among the victims of the highest priority
  std::int32_t highest = 0;
  for (const RatedUnit& each : preemption.rated) {
    if (!each.goes) continue;
    const bool leads = std::exchange(is_first, false);
    if (upstream) {
      add_upstream(harm, each.unit, leads, start, highest);
      continue;
    }
    const std::int32_t priority = priority_of(each.unit);
    harm.priorities += static_cast<std::int64_t>(members_of(each.unit)) * (priority + kRaised);
    if (!leads) continue;
    harm.highest_priority = priority;
    start = start_of(each.unit);
  }
  harm.has_started = start.has_value();
  harm.negated_start = start ? -start->time_since_epoch().count() : 0;
  return harm;
}

}  // namespace elbowroom::policy
