#include "policy/preemption/resize_choice.h"

#include <algorithm>
#include <cstdint>

namespace elbowroom::policy {
namespace {

std::string why_spared(const Unit<Pod>& unit, const ResizeChoice& choice) {
  switch (choice.outcome) {
    case PreemptionOutcome::AwaitingVictims:
      return "stays: enough room is on its way";
    case PreemptionOutcome::Disabled:
    case PreemptionOutcome::PolicyNever:
      return "stays: nobody is removed for this resize";
    case PreemptionOutcome::NoVictims:
      return "stays: removing it would not help";
    case PreemptionOutcome::NotNeeded:
    case PreemptionOutcome::Preempt:
      break;
  }
  return reprieve_reason(*std::ranges::find(choice.rated, unit, &Rated::unit), choice.needs);
}

// Every pod of the units that are removed, wherever it runs.
void add_victims(ResizePreemption& plan, const ResizeChoice& choice, RuleSet rules) {
  for (const Unit<Pod>& unit : choice.kill_order) {
    const auto at = std::ranges::find(choice.rated, unit, &Rated::unit);
    const auto index = static_cast<std::size_t>(at - choice.rated.begin());
    const std::string why = choice.by == RoomMaker::Node
                                ? node_victim_reason(*at, choice.needs)
                                : victim_reason(choice.rated, index, choice.needs, rules);
    for_each_pod(unit, [&](const Pod& pod) {
      plan.victims.push_back({&pod, priority_of(unit), at->breaks_budget(), why,
                              unit.group == nullptr ? key_of(pod) : std::string(unit.group->key)});
    });
    plan.budget_violations += at->violating;
  }
}

}  // namespace

bool is_removed(const Pod& pod, const ResizeChoice& choice) {
  return std::ranges::any_of(choice.kill_order,
                             [&](const Unit<Pod>& each) { return is_of(each, pod); });
}

ResizeChoice finished(ResizeChoice choice) {
  choice.outcome = PreemptionOutcome::Preempt;
  choice.gets_room = true;
  for (Rated& each : choice.rated) {
    each.goes = std::ranges::find(choice.kill_order, each.unit) != choice.kill_order.end();
  }
  std::size_t count = 0;
  for (const Unit<Pod>& each : choice.kill_order) count += members_of(each);
  choice.message = "removing " + std::to_string(count) + (count == 1 ? " pod" : " pods") +
                   " of lower priority makes up for the lacking " + in_words(choice.needs);
  return choice;
}

ResizePreemption described(const NodeMoment& moment, const std::vector<PodOnNode>& node_pods,
                           const NodeUnits& node_units, const PodOnNode& deferred,
                           const ResizeChoice& choice) {
  ResizePreemption plan{.by = choice.by, .outcome = choice.outcome, .message = choice.message};
  if (choice.outcome == PreemptionOutcome::NotNeeded) return plan;

  add_victims(plan, choice, moment.rules);
  const std::vector<std::string> why_not =
      choice.why_not.empty() ? obstacles(moment, node_pods, node_units, deferred) : choice.why_not;
  for (std::size_t i = 0; i < node_units.units.size(); ++i) {
    const Unit<Pod>& unit = node_units.units[i];
    if (std::ranges::find(choice.kill_order, unit) != choice.kill_order.end()) continue;
    for (const std::uint32_t at : node_units.places_of(i)) {
      const Pod* pod = node_pods[at].pod;
      if (pod == deferred.pod) continue;
      const bool eligible = why_not[i].empty();
      plan.considered.push_back({pod, eligible, eligible ? why_spared(unit, choice) : why_not[i]});
    }
  }
  return plan;
}

}  // namespace elbowroom::policy
