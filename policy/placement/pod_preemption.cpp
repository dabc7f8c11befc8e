#include "policy/placement/pod_preemption.h"

#include <algorithm>
#include <map>
#include <utility>

#include "policy/preemption/budget_account.h"
#include "policy/preemption/reprieve.h"

namespace elbowroom::policy {

bool leaves_late(const RoomHolding& holding, const Pod& pod, const ScheduleTerms& terms) {
  const bool is_late = terms.waits_until && holding.deletion > terms.waits_until;
  return is_late && !(holding.mark && holding.mark->uid == pod.uid);
}

bool PodPreemption::is_leaving(const RoomHolding& holding) const {
  return !upstream() && holding.is_terminating() && !is_overdue(holding) &&
         (late_ == Late::Leaves || !is_late(holding));
}

bool PodPreemption::could_go(const RoomHolding& holding) const {
  if (holding.priority >= priority_ || holding.is_fixed) return false;
  if (!terms_.unremovable.empty() && terms_.unremovable.contains(holding.uid)) return false;
  // Pod groups are not preempted for pods yet.
  return !holding.is_grouped && (upstream() || !holding.is_terminating());
}

// A node loses no further pods while it does not answer, or keeps a pod that had to make room.
bool PodPreemption::is_stuck(std::uint32_t node) const {
  const NodeRoom& room = filter_.room().nodes()[node];
  if (nobody_goes_) return true;
  if (!terms_.nobody_goes_on.empty() && terms_.nobody_goes_on.contains(room.name)) return true;
  if (!terms_.removes_only_on.empty() && terms_.removes_only_on != room.name) return true;
  if (upstream()) return false;
  if (room.node.ready == NodeReady::False || room.node.ready == NodeReady::Unknown) return true;
  const NodeTotals& figures = filter_.room().figures()[node];
  if (!figures.has_terminating || !figures.has_marked) return false;
  return std::ranges::any_of(room.holders, [this](const RoomHolding& each) {
    return each.is_terminating() && is_overdue(each) && each.mark;
  });
}

bool PodPreemption::fits_when_they_left(std::uint32_t node) const {
  const NodeRoom& room = filter_.room().nodes()[node];
  const auto leaving = [this](const RoomHolding& each) { return is_leaving(each); };
  if (room.node.ready == NodeReady::False || room.node.ready == NodeReady::Unknown) return false;
  const auto somebody_leaves = [&] {
    return filter_.room().figures()[node].has_terminating &&
           std::ranges::any_of(room.holders, leaving);
  };
  if (!filter_.looks_around() && !somebody_leaves()) return false;
  Occupancy staying = filter_.empty(node);
  for (const RoomHolding& each : room.holders) {
    if (!is_leaving(each)) filter_.add(staying, node, each);
  }
  return filter_.refusal_beside(node, staying).code == NodeCode::Success;
}

void PodPreemption::charge_budgets(std::vector<RatedHolding>& rated) const {
  const ClusterRoom& room = filter_.room();
  const auto kind_of = [&](const RatedHolding& each) -> const PodKind& {
    return room.kinds()[each.holding->kind];
  };
  if (std::ranges::all_of(rated, [&](const auto& each) { return kind_of(each).budgets.empty(); })) {
    return;
  }
  // The budgets that cover a pod on this node, in the order of all budgets.
  std::map<std::uint32_t, std::uint32_t> accounts;
  for (const RatedHolding& each : rated) {
    for (const std::uint32_t budget : kind_of(each).budgets) accounts.emplace(budget, 0);
  }
  BudgetAccounts soft;
  BudgetAccounts hard;
  for (auto& [budget, number] : accounts) {
    number = static_cast<std::uint32_t>(soft.left.size());
    soft.left.push_back(room.budgets()[budget].allowed);
  }
  hard.left = soft.left;
  for (const RatedHolding& each : rated) {
    std::vector<std::uint32_t>& covering = soft.covering.emplace_back();
    std::vector<std::uint32_t>& forbidding_it = hard.covering.emplace_back();
    const std::string& key = each.holding->key;
    for (const std::uint32_t number : kind_of(each).budgets) {
      const BudgetRoom& budget = room.budgets()[number];
      if (budget.disrupted_pods.contains(std::string_view(key).substr(key.find('/') + 1))) continue;
      covering.push_back(accounts[number]);
      if (budget.is_hard && !upstream()) forbidding_it.push_back(accounts[number]);
    }
  }
  const auto forbidden = forbidding(std::move(hard));
  std::vector<RatedHolding> able;
  BudgetAccounts left{.left = soft.left};
  for (std::size_t i = 0; i < rated.size(); ++i) {
    if (forbidden[i]) continue;
    able.push_back(rated[i]);
    left.covering.push_back(std::move(soft.covering[i]));
  }
  const std::vector<bool> breaks = breaking(std::move(left), room.rules());
  for (std::size_t i = 0; i < able.size(); ++i) able[i].breaks_budget = breaks[i];
  rated = std::move(able);
}

NodePreemption PodPreemption::on(std::uint32_t node) const {
  NodePreemption made{.node = node};
  if (is_stuck(node)) return made;
  const Blocks<RoomHolding>& holders = filter_.room().nodes()[node].holders;
  const bool looks_at_marks = !upstream() && filter_.room().figures()[node].has_marked;
  made.rated.reserve(holders.size());
  for (const RoomHolding& each : holders) {
    if (!could_go(each)) continue;
    const bool is_marked = looks_at_marks && each.mark && each.mark->uid == filter_.pod().uid &&
                           each.mark->generation == filter_.pod().generation;
    made.rated.push_back({.holding = &each, .is_marked = is_marked});
  }
  if (made.rated.empty()) return made;
  charge_budgets(made.rated);
  if (made.rated.empty()) return made;

  Occupancy staying = filter_.empty(node);
  auto next = made.rated.begin();  // in the same order
  for (const RoomHolding& each : holders) {
    if (next != made.rated.end() && next->holding == &each) {
      ++next;
    } else if (!is_leaving(each)) {
      filter_.add(staying, node, each);
    }
  }
  made.still = filter_.refusal_beside(node, staying);
  if (made.still.code != NodeCode::Success) {
    made.still_used = filter_.used_beside(node, staying);
    return made;
  }
  std::vector<ReprieveStatus> standings;
  standings.reserve(made.rated.size());
  for (const RatedHolding& each : made.rated) {
    standings.push_back({each.breaks_budget, each.is_marked});
  }
  const std::vector<bool> goes = after_reprieve(standings, [&](std::size_t i) {
    Occupancy beside = staying;
    filter_.add(beside, node, *made.rated[i].holding);
    const Refusal refusal = filter_.refusal_beside(node, beside);
    made.rated[i].without_it_gone = refusal;
    if (refusal.code != NodeCode::Success) return false;
    staying = std::move(beside);
    return true;
  });
  for (std::size_t i = 0; i < goes.size(); ++i) {
    made.rated[i].goes = goes[i];
    if (!goes[i]) continue;
    ++made.victims;
    if (made.rated[i].breaks_budget) ++made.budget_violations;
  }
  return made;
}

Harm harm_of(const ClusterRoom& room, const NodePreemption& preemption) {
  constexpr std::int64_t kRaised = std::int64_t{1} << 31;
  Harm harm{.budget_violations = preemption.budget_violations,
            .victims = preemption.victims,
            .node = room.nodes()[preemption.node].name};
  const bool upstream = room.rules() == RuleSet::Upstream;
  const RoomHolding* most_important = nullptr;
  std::optional<Time> start;  // upstream: the earliest among the victims of the highest priority
  for (const RatedHolding& each : preemption.rated) {
    if (!each.goes) continue;
    const RoomHolding& victim = *each.holding;
    harm.priorities += victim.priority + kRaised;
    if (most_important == nullptr) {
      most_important = &victim;
      harm.highest_priority = victim.priority;
      start = victim.started;
    }
    if (upstream && victim.priority == harm.highest_priority && victim.started &&
        (!start || *victim.started < *start)) {
      start = victim.started;
    }
  }
  harm.has_started = start.has_value();
  harm.negated_start = start ? -start->time_since_epoch().count() : 0;
  return harm;
}

}  // namespace elbowroom::policy
