#include "policy/preemption/node_pods.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "policy/model/importance.h"
#include "policy/preemption/budget_account.h"
#include "policy/resize/resize.h"

namespace elbowroom::policy {
namespace {

bool upstream(const NodeMoment& moment) { return moment.rules == RuleSet::Upstream; }

PodOnNode node_pod_of(const NodeMoment& moment, const Pod& pod) {
  PodOnNode made{.pod = &pod, .totals = totals_of(pod)};
  if (!pod.claimed.empty()) made.claims = shareable_claims(pod);
  made.held = without(held_charge(made.totals), made.claims);
  if (upstream(moment)) {
    made.charge = without(cluster_charge(made.totals, is_infeasible(pod)), made.claims);
    set_amount(made.charge, kPodCount, 1);
    return made;
  }
  made.leaving = is_leaving(pod, moment.lapsed);
  const bool counts = moment.critical_by_node && !arrives(pod);
  if (counts) set_amount(made.held, kPodCount, 1);
  if (made.leaving) return made;
  made.charge = without(charge_after_shrinks(pod, made.totals, moment.lapsed), made.claims);
  if (counts) set_amount(made.charge, kPodCount, 1);
  return made;
}

// Why a pod cannot be removed; "" when it can.
std::string kept_by(const NodeMoment& moment, const PodOnNode& each) {
  const Pod& pod = *each.pod;
  if (pod.is_static) return "static pods are never removed";
  if (pod.is_mirror) return "mirror pods are never removed";
  if (each.makes_room) return "makes room for " + key_of(*each.makes_room_for_pod) + " already";
  if (!upstream(moment) && is_terminating(pod)) {
    return each.leaving ? "is terminating and counts as leaving"
                        : "is terminating, overdue, and counts as staying";
  }
  if (pod.group && pod.group->is_unclear()) return group_obstacle(pod);
  if (moment.unremovable != nullptr) {
    const auto why = moment.unremovable->find(pod.uid);
    if (why != moment.unremovable->end()) return why->second;
  }
  return "";
}

// Why a unit cannot be a victim; "" when it can, and when the preemptor is that unit of one.
std::string ineligible(const NodeMoment& moment, const std::vector<PodOnNode>& node_pods,
                       const NodeUnits& node_units, std::size_t at, const PodOnNode& deferred) {
  const Unit<Pod>& unit = node_units.units[at];
  const Pod& preemptor = *deferred.pod;
  if (unit.pod == &preemptor) return "";
  if (is_of(unit, preemptor)) return "belongs to one unit with " + key_of(preemptor);
  const bool by_node = moment.critical_by_node && is_critical(preemptor) && unit.pod != nullptr;
  const std::int32_t own = by_node ? own_priority_of(preemptor) : priority_of(preemptor);
  const std::int32_t other = by_node ? own_priority_of(*unit.pod) : priority_of(unit);
  if (other >= own) {
    return "priority " + std::to_string(other) + " is not below " + std::to_string(own);
  }
  if (unit.group == nullptr) return kept_by(moment, node_pods[node_units.places_of(at)[0]]);
  const auto kept_as_one = [&](const PodOnNode& each) {
    const std::string why = kept_by(moment, each);
    return why.empty() ? why : "is of one unit with " + key_of(*each.pod) + ", which: " + why;
  };
  for (const std::uint32_t place : node_units.places_of(at)) {
    if (std::string why = kept_as_one(node_pods[place]); !why.empty()) return why;
  }
  std::string why;
  for_each_elsewhere(unit, [&](const Pod& pod) {
    if (why.empty()) why = kept_as_one({.pod = &pod, .leaving = is_leaving(pod, moment.lapsed)});
  });
  return why.empty() ? std::string(unit.group->kept_by) : why;
}

// A unit, and the place of one of its pods.
using Placed = std::pair<Unit<Pod>, std::uint32_t>;

// The rank of a group is a look at all its pods: once for each group.
void sort_by_importance(std::vector<Placed>& placed, RuleSet rules) {
  std::map<std::string_view, Importance> of_groups;  // by key
  std::vector<std::pair<std::pair<Importance, std::uint32_t>, Unit<Pod>>> ranked;
  ranked.reserve(placed.size());
  for (const auto& [unit, place] : placed) {
    if (unit.group == nullptr) {
      ranked.push_back({{importance_of(*unit.pod, rules), place}, unit});
      continue;
    }
    const auto [known, added] = of_groups.try_emplace(unit.group->key);
    if (added) known->second = importance_of(rank_of(unit), rules);
    ranked.push_back({{known->second, place}, unit});
  }
  std::ranges::sort(ranked, {}, [](const auto& each) { return each.first; });
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    placed[i] = {ranked[i].second, ranked[i].first.second};
  }
}

}  // namespace

std::vector<PodOnNode> node_pods_of(const NodeMoment& moment) {
  std::vector<std::pair<Importance, const Pod*>> ordered;
  for (const Pod& pod : moment.pods) {
    if (upstream(moment) ? is_finished(pod) : !holds_room(pod)) continue;
    ordered.emplace_back(importance_of(pod, moment.rules), &pod);
  }
  std::ranges::sort(ordered, {}, [](const auto& each) { return each.first; });
  std::vector<PodOnNode> node_pods;
  node_pods.reserve(ordered.size());
  for (const auto& [importance, pod] : ordered) node_pods.push_back(node_pod_of(moment, *pod));
  return node_pods;
}

NodeUnits units_of(const NodeMoment& moment, const NodeGroups& groups,
                   const std::vector<PodOnNode>& node_pods) {
  std::vector<Placed> placed;
  placed.reserve(node_pods.size());
  for (const PodOnNode& each : node_pods) {
    const GroupUnit<Pod>* group = groups.of(*each.pod);
    placed.emplace_back(group == nullptr ? Unit<Pod>(each.pod) : Unit<Pod>(*group),
                        static_cast<std::uint32_t>(placed.size()));
  }
  // The pods are in order, and so are units of one.
  if (!groups.empty()) sort_by_importance(placed, moment.rules);
  NodeUnits made;
  made.units.reserve(placed.size());
  for (const auto& [unit, place] : placed) {
    if (made.units.empty() || made.units.back() != unit) {
      made.units.push_back(unit);
      made.ends.push_back(made.ends.empty() ? 0 : made.ends.back());
    }
    made.places.push_back(place);
    ++made.ends.back();
  }
  return made;
}

bool arrives(const Pod& pod) {
  return pod.phase == Phase::Pending && !pod.started &&
         std::ranges::all_of(pod.containers, [](const Container& each) {
           return each.state == RunState::None && each.allocated_requests &&
                  is_zero(*each.allocated_requests);
         });
}

Fit fit_of(const NodeMoment& moment, const PodOnNode& deferred) {
  Fit fit{.capacity = moment.node.allocatable, .charge = resizing_charge(deferred.totals)};
  if (!upstream(moment)) {
    for (const std::string_view name : raised_resources(moment.node, deferred.totals)) {
      fit.checked.emplace_back(name);
    }
    if (moment.critical_by_node && arrives(*deferred.pod)) {
      set_amount(fit.charge, kPodCount, 1);
      set_amount(fit.capacity, kPodCount, moment.node.allowed_pods);
      fit.checked.emplace_back(kPodCount);
    }
    return fit;
  }
  for_each_amount(deferred.totals.desired,
                  [&](std::string_view name, std::int64_t) { fit.checked.emplace_back(name); });
  if (moment.node.allowed_pods == kMaxAmount) return fit;
  // Its own slot twice: the pod is on the node, and also counts as arriving.
  set_amount(fit.charge, kPodCount, 2);
  set_amount(fit.capacity, kPodCount, moment.node.allowed_pods);
  fit.checked.emplace_back(kPodCount);
  return fit;
}

Resources held_beside(const std::vector<PodOnNode>& node_pods, const PodOnNode& deferred) {
  ChargeSum used;
  used.leave_out(deferred.claims);
  for (const PodOnNode& each : node_pods) {
    if (&each != &deferred) used.add(each.held, each.claims);
  }
  return used.total();
}

bool comes_first(const Pod& nominated, const Pod& deferred) {
  return nominated.node.empty() && !is_terminating(nominated) && !is_finished(nominated) &&
         priority_of(nominated) >= priority_of(deferred);
}

Resources nominated_before(const NodeMoment& moment, const PodOnNode& deferred) {
  Resources charged;
  for (const Pod& pod : moment.nominated) {
    if (!comes_first(pod, *deferred.pod)) continue;
    Resources charge = cluster_charge(pod);
    set_amount(charge, kPodCount, 1);
    add_to(charged, charge);
  }
  return charged;
}

std::vector<std::string> obstacles(const NodeMoment& moment,
                                   const std::vector<PodOnNode>& node_pods,
                                   const NodeUnits& node_units, const PodOnNode& deferred) {
  const std::vector<Unit<Pod>>& units = node_units.units;
  std::vector<std::string> all;
  std::vector<Unit<Pod>> able;  // in the same order
  for (std::size_t i = 0; i < units.size(); ++i) {
    all.push_back(ineligible(moment, node_pods, node_units, i, deferred));
    if (all.back().empty() && units[i].pod != deferred.pod) able.push_back(units[i]);
  }
  if (upstream(moment)) return all;  // upstream has no hard budgets
  const std::vector<const DisruptionBudget*> forbidding =
      forbidding_budgets(able, moment.budgets, moment.now);
  for (std::size_t i = 0, next = 0; i < units.size(); ++i) {
    if (next == able.size() || units[i] != able[next]) continue;
    const DisruptionBudget* budget = forbidding[next++];
    if (budget == nullptr) continue;
    all[i] = has_too_many_walls(units[i], moment.budgets)
                 ? "more than " + std::to_string(kMostBudgetsOverPod) +
                       " hard disruption budgets cover it"
                 : "hard disruption budget " + budget->ns + "/" + budget->name + " allows no more";
  }
  return all;
}

}  // namespace elbowroom::policy
