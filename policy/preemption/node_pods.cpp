#include "policy/preemption/node_pods.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "policy/model/importance.h"
#include "policy/resize/resize.h"

namespace elbowroom::policy {
namespace {

bool upstream(const NodeMoment& moment) { return moment.rules == RuleSet::Upstream; }

PodOnNode node_pod_of(const NodeMoment& moment, const Pod& pod) {
  PodOnNode made{.pod = &pod, .totals = totals_of(pod)};
  made.held = held_charge(made.totals);
  if (upstream(moment)) {
    made.charge = cluster_charge(made.totals, is_infeasible(pod));
    set_amount(made.charge, kPodCount, 1);
    return made;
  }
  made.leaving = is_leaving(pod, moment.lapsed);
  if (!made.leaving) made.charge = coming_charge(pod, made.totals, moment.lapsed);
  return made;
}

// Why a pod of the node cannot be a victim; "" when it can.
std::string ineligible(const NodeMoment& moment, const Pod& preemptor, const PodOnNode& each) {
  const Pod& pod = *each.pod;
  if (priority_of(pod) >= priority_of(preemptor)) {
    return "priority " + std::to_string(priority_of(pod)) + " is not below " +
           std::to_string(priority_of(preemptor));
  }
  if (pod.is_static) return "static pods are never removed";
  if (pod.is_mirror) return "mirror pods are never removed";
  if (each.makes_room) return "makes room for " + key_of(*each.for_whom) + " already";
  if (!upstream(moment) && is_terminating(pod)) {
    return each.leaving ? "is terminating and counts as leaving"
                        : "is terminating, overdue, and counts as staying";
  }
  if (!pod.scheduling_group.empty()) {
    return "belongs to pod group " + pod.ns + "/" + pod.scheduling_group +
           ", and groups are not removed for resizes yet";
  }
  if (moment.unremovable != nullptr) {
    const auto why = moment.unremovable->find(pod.uid);
    if (why != moment.unremovable->end()) return why->second;
  }
  return "";
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

Fit fit_of(const NodeMoment& moment, const PodOnNode& deferred) {
  Fit fit{.capacity = moment.node.allocatable, .charge = resizing_charge(deferred.totals)};
  if (!upstream(moment)) {
    for (const std::string_view name : raised_resources(moment.node, deferred.totals)) {
      fit.checked.emplace_back(name);
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
  Resources used;
  for (const PodOnNode& each : node_pods) {
    if (&each != &deferred) add_to(used, each.held);
  }
  return used;
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
                                   const PodOnNode& deferred) {
  std::vector<std::string> all;
  std::vector<const Pod*> able;  // most important first, like the pods of the node
  for (const PodOnNode& each : node_pods) {
    all.push_back(&each == &deferred ? "" : ineligible(moment, *deferred.pod, each));
    if (&each != &deferred && all.back().empty()) able.push_back(each.pod);
  }
  if (upstream(moment)) return all;  // upstream has no hard budgets
  const std::vector<const DisruptionBudget*> forbidding =
      forbidding_budgets(able, moment.budgets, moment.now);
  for (std::size_t i = 0, next = 0; i < node_pods.size(); ++i) {
    if (next == able.size() || node_pods[i].pod != able[next]) continue;
    const DisruptionBudget* budget = forbidding[next++];
    if (budget == nullptr) continue;
    all[i] = "hard disruption budget " + budget->ns + "/" + budget->name + " allows no more";
  }
  return all;
}

}  // namespace elbowroom::policy
