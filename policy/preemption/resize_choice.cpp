#include "policy/preemption/resize_choice.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>

namespace elbowroom::policy {
namespace {

constexpr std::size_t kNotRated = std::numeric_limits<std::size_t>::max();

// Uid and name. The views refer to the unit's pod or group.
using UnitName = std::tuple<std::string_view, std::string_view, std::string_view>;
UnitName name_in(const Unit<Pod>& unit) {
  if (unit.group != nullptr) return {unit.group->uid, unit.group->key, ""};
  return {unit.pod->uid, unit.pod->ns, unit.pod->name};
}

// Where each unit stands among the rated ones.
std::map<UnitName, std::size_t> places_by_name(const std::vector<Rated>& rated) {
  std::map<UnitName, std::size_t> places;
  for (std::size_t i = 0; i < rated.size(); ++i) places.emplace(name_in(rated[i].unit), i);
  return places;
}

// `at`: where the unit stands among the rated ones.
std::string why_spared(std::size_t at, const ResizeChoice& choice) {
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
  return reprieve_reason(choice.rated[at], choice.needs);
}

// Every pod of the units that are removed, wherever it runs.
void add_victims(ResizePreemption& plan, const ResizeChoice& choice, RuleSet rules) {
  if (choice.kill_order.empty()) return;
  const auto places = places_by_name(choice.rated);
  std::size_t reasons = 0;
  for (const Unit<Pod>& unit : choice.kill_order) {
    const std::size_t at = places.at(name_in(unit));
    const Rated& rated = choice.rated[at];
    const std::string why = ++reasons > kMostReasons ? one_of_many(choice.kill_order.size())
                            : choice.by == RoomMaker::Node
                                ? node_victim_reason(rated, choice.needs)
                                : victim_reason(choice.rated, at, choice.needs, rules);
    for_each_pod(unit, [&](const Pod& pod) {
      plan.victims.push_back({&pod, priority_of(unit), rated.breaks_budget(), why,
                              unit.group == nullptr ? key_of(pod) : std::string(unit.group->key)});
    });
    plan.budget_violations += rated.violating.any;
  }
}

}  // namespace

ResizeChoice finished(ResizeChoice choice) {
  choice.outcome = PreemptionOutcome::Preempt;
  choice.gets_room = true;
  const auto places = places_by_name(choice.rated);
  for (Rated& each : choice.rated) each.goes = false;
  for (const Unit<Pod>& each : choice.kill_order)
    choice.rated[places.at(name_in(each))].goes = true;
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
  std::vector<std::size_t> rated_at(node_units.units.size(), kNotRated);
  for (std::size_t i = 0; i < choice.rated.size(); ++i) rated_at[choice.rated_units[i]] = i;
  for (std::size_t i = 0; i < node_units.units.size(); ++i) {
    const std::size_t rated = rated_at[i];
    const bool removes = choice.outcome == PreemptionOutcome::Preempt;
    if (removes && rated != kNotRated && choice.rated[rated].goes) continue;
    for (const std::uint32_t at : node_units.places_of(i)) {
      const Pod* pod = node_pods[at].pod;
      if (pod == deferred.pod) continue;
      const bool eligible = why_not[i].empty();
      plan.considered.push_back({pod, eligible, eligible ? why_spared(rated, choice) : why_not[i]});
    }
  }
  return plan;
}

}  // namespace elbowroom::policy
