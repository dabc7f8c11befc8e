#include "policy/placement/pod_preemption.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "policy/preemption/reprieve.h"

namespace elbowroom::policy {
namespace {

// Whether the budget's status counts the pod as disrupted already.
bool is_disrupted(const BudgetRoom& budget, const RoomHolding& pod) {
  if (budget.disrupted_pods.empty()) return false;
  return budget.disrupted_pods.contains(std::string_view(pod.key).substr(pod.key.find('/') + 1));
}

}  // namespace

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
  // The members of a pod group that is not a unit are not preempted for pods yet.
  if (unit.group == nullptr) return !unit.pod->is_grouped && may_leave(*unit.pod);
  return !any_pod(unit, [this](const RoomHolding& each) { return !may_leave(each); });
}

bool PodPreemption::is_marked(const HoldingUnit& unit) const {
  return !upstream() && any_pod(unit, [this](const RoomHolding& each) {
    return each.mark && each.mark->uid == filter_.pod().uid &&
           each.mark->generation == filter_.pod().generation;
  });
}

// A node loses no further pods while it does not answer, or keeps a pod that had to make room.
bool PodPreemption::is_stuck(std::uint32_t node) const {
  const NodeRoom& room = filter_.room().nodes()[node];
  if (no_victims_) return true;
  if (!terms_.no_victims_on.empty() && terms_.no_victims_on.contains(room.name)) return true;
  if (!terms_.removes_only_on.empty() && terms_.removes_only_on != room.name) return true;
  if (upstream()) return false;
  if (room.node.ready == NodeReady::False || room.node.ready == NodeReady::Unknown) return true;
  const NodeTotals& figures = filter_.room().figures()[node];
  if (!figures.has_terminating || !figures.has_marked) return false;
  return std::ranges::any_of(room.holders, [this](const RoomHolding& each) {
    return each.is_terminating() && is_overdue(each) && each.mark;
  });
}

bool PodPreemption::fits_after_termination(std::uint32_t node) const {
  const NodeRoom& room = filter_.room().nodes()[node];
  const auto leaving = [this](const RoomHolding& each) { return is_leaving(each); };
  if (room.node.ready == NodeReady::False || room.node.ready == NodeReady::Unknown) return false;
  const auto has_leaving_pod = [&] {
    return filter_.room().figures()[node].has_terminating &&
           std::ranges::any_of(room.holders, leaving);
  };
  if (!filter_.looks_around() && !has_leaving_pod()) return false;
  Occupancy staying = filter_.empty(node);
  for (const RoomHolding& each : room.holders) {
    if (!is_leaving(each)) filter_.add(staying, node, each);
  }
  return filter_.refusal_beside(node, staying).code == NodeCode::Success;
}

BudgetAccounts PodPreemption::charged_to(const std::vector<std::uint32_t>& numbers,
                                         const std::vector<RatedUnit>& rated,
                                         bool only_hard) const {
  const ClusterRoom& room = filter_.room();
  BudgetAccounts made;
  made.left.reserve(numbers.size());
  for (const std::uint32_t number : numbers) made.left.push_back(room.budgets()[number].allowed);
  made.covering.reserve(rated.size());
  made.pod_ends.reserve(rated.size());
  made.unit_ends.reserve(rated.size());
  for (const RatedUnit& each : rated) {
    for_each_pod(each.unit, [&](const RoomHolding& pod) {
      for (const std::uint32_t number : room.kinds()[pod.kind].budgets) {
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

void PodPreemption::charge_budgets(std::vector<RatedUnit>& rated) const {
  if (filter_.room().budgets().empty()) return;
  // The budgets that cover a pod of a unit, by number, which is the order of all budgets.
  std::vector<std::uint32_t> numbers;
  for (const RatedUnit& each : rated) {
    for_each_pod(each.unit, [&](const RoomHolding& pod) {
      const std::vector<std::uint32_t>& budgets = filter_.room().kinds()[pod.kind].budgets;
      numbers.insert(numbers.end(), budgets.begin(), budgets.end());
    });
  }
  if (numbers.empty()) return;
  std::ranges::sort(numbers);
  const auto repeated = std::ranges::unique(numbers);
  numbers.erase(repeated.begin(), repeated.end());
  const bool has_hard = std::ranges::any_of(
      numbers, [this](std::uint32_t number) { return filter_.room().budgets()[number].is_hard; });
  if (has_hard && !upstream()) {
    const auto forbidden = forbidding(charged_to(numbers, rated, true));
    std::size_t kept = 0;
    for (std::size_t i = 0; i < rated.size(); ++i) {
      if (!forbidden[i]) rated[kept++] = rated[i];
    }
    rated.resize(kept);
  }
  const auto breaks = breaking(charged_to(numbers, rated, false), filter_.room().rules());
  for (std::size_t i = 0; i < rated.size(); ++i) rated[i].violating = breaks[i];
}

NodePreemption PodPreemption::on(std::uint32_t node) const {
  NodePreemption made{.node = node};
  if (is_stuck(node)) return made;
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
  if (is_stuck(node)) return made;
  for (const HoldingUnit& unit : units) {
    if (!may_be_victim(unit)) continue;
    made.rated.push_back({.unit = unit, .is_marked = is_marked(unit)});
    made.has_groups = made.has_groups || unit.group != nullptr;
  }
  return reprieved(std::move(made));
}

NodePreemption PodPreemption::reprieved(NodePreemption made) const {
  if (made.rated.empty()) return made;
  charge_budgets(made.rated);
  if (made.rated.empty()) return made;

  const std::uint32_t node = made.node;
  Occupancy staying = filter_.empty(node);
  for_each_holding(filter_.room(), made, [&](const RoomHolding& each, const RatedUnit* goes) {
    if (goes == nullptr && !is_leaving(each)) filter_.add(staying, node, each);
  });
  made.still = filter_.refusal_beside(node, staying);
  if (made.still.code != NodeCode::Success) {
    made.still_used = filter_.used_beside(node, staying);
  } else {
    put_back(made, std::move(staying));
  }
  return made;
}

void PodPreemption::put_back(NodePreemption& made, Occupancy staying) const {
  const auto status_of = [&made](std::size_t i) -> ReprieveStatus {
    return {made.rated[i].breaks_budget(), made.rated[i].is_marked};
  };
  reprieve_in_order(made.rated.size(), status_of, [&](std::size_t i) {
    RatedUnit& each = made.rated[i];
    Occupancy beside = staying;
    for (const RoomHolding* pod : pods_here(each.unit)) filter_.add(beside, made.node, *pod);
    each.without_it_gone = filter_.refusal_beside(made.node, beside);
    each.goes = each.without_it_gone.code != NodeCode::Success;
    if (!each.goes) {
      staying = std::move(beside);
      return;
    }
    made.victims += static_cast<std::int64_t>(members_of(each.unit));
    made.budget_violations += each.violating;
  });
}

Harm harm_of(const ClusterRoom& room, const NodePreemption& preemption) {
  constexpr std::int64_t kRaised = std::int64_t{1} << 31;
  Harm harm{.budget_violations = preemption.budget_violations,
            .victims = preemption.victims,
            .node = room.nodes()[preemption.node].name};
  const bool upstream = room.rules() == RuleSet::Upstream;
  bool is_first = true;       // the most important one
  std::optional<Time> start;  // upstream: the earliest among the victims of the highest priority
  for (const RatedUnit& each : preemption.rated) {
    if (!each.goes) continue;
    const std::int32_t priority = priority_of(each.unit);
    harm.priorities += static_cast<std::int64_t>(members_of(each.unit)) * (priority + kRaised);
    if (is_first) {
      is_first = false;
      harm.highest_priority = priority;
      start = start_of(each.unit);
    }
    if (!upstream || priority != harm.highest_priority) continue;
    const std::optional<Time> started = start_of(each.unit);
    if (started && (!start || *started < *start)) start = started;
  }
  harm.has_started = start.has_value();
  harm.negated_start = start ? -start->time_since_epoch().count() : 0;
  return harm;
}

}  // namespace elbowroom::policy
