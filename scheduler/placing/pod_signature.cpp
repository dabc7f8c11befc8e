#include "scheduler/placing/pod_signature.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/model/charge.h"
#include "policy/model/selector.h"
#include "policy/placement/exact_text.h"
#include "policy/placement/pod_tally.h"

namespace elbowroom::scheduler {
namespace {

using policy::ExactText;
using policy::Placement;

void add(ExactText& to, const std::vector<policy::NodeExpression>& expressions) {
  to.add_size(expressions);
  for (const policy::NodeExpression& each : expressions) {
    to.add(each.key);
    to.add_choice(each.op);
    to.add(each.values);
  }
}

void add(ExactText& to, const Placement& placement) {
  to.add(placement.node_selector);
  to.add_number(
      placement.required_nodes ? static_cast<std::int64_t>(placement.required_nodes->size()) : -1);
  if (placement.required_nodes) {
    for (const policy::NodeTerm& each : *placement.required_nodes) {
      add(to, each.labels);
      add(to, each.names);
    }
  }
  to.add_size(placement.tolerations);
  for (const policy::Toleration& each : placement.tolerations) {
    to.add(each.key);
    to.add_choice(each.op);
    to.add(each.value);
    to.add_number(each.effect ? std::to_underlying(*each.effect) : -1);
  }
  to.add_size(placement.host_ports);
  for (const policy::HostPort& each : placement.host_ports) {
    to.add(each.ip);
    to.add_choice(each.protocol);
    to.add_number(each.port);
  }
}

// What the pod asks of pods beside it, and whether it is one of those itself.
void add_company(ExactText& to, const policy::Pod& pod, const policy::ClusterRoom& room) {
  const Placement& placement = pod.placement;
  if (looks_around(placement)) to.add(pod.ns);
  for (const policy::SpreadConstraint& each : placement.spread) {
    if (!each.required) continue;
    to.add_number(each.max_skew);
    to.add(each.topology_key);
    to.add(each.selector);
    to.add_number(each.min_domains);
    to.add_number(each.honors_node_affinity ? 1 : 0);
    to.add_number(each.honors_taints ? 1 : 0);
    to.add_number(each.selector && policy::matches(*each.selector, pod.labels) ? 1 : 0);
  }
  to.add(placement.required_affinity);
  for (const policy::PodTerm& each : placement.required_affinity) {
    to.add_number(policy::is_about(room, each, pod.ns, pod.labels) ? 1 : 0);
  }
  to.add(placement.required_anti_affinity);
}

// The anti-affinity terms of other pods that are about it, by number.
void add_repelling(ExactText& to, const policy::Pod& pod, const policy::ClusterRoom& room) {
  for (const std::uint32_t number : room.kinds().terms_about(pod.ns, pod.labels)) {
    const auto& terms = room.kinds().terms()[number].required_anti_affinity;
    const bool repels = std::ranges::any_of(terms, [&](const policy::PodTerm& each) {
      return policy::is_about(room, each, pod.ns, pod.labels);
    });
    if (repels) to.add_number(number);
  }
}

// Of a pod whose claims are not all bound nothing is remembered: it waits for volumes that others
// may give back.
bool has_bound_claims(const policy::Pod& pod, const policy::ClusterRoom& room) {
  return std::ranges::all_of(pod.placement.claims, [&](const policy::PodClaim& each) {
    const policy::VolumeClaim* claim = room.volumes().claim(pod.ns + "/" + each.name);
    return claim != nullptr && claim->is_bound();
  });
}

}  // namespace

bool looks_around(const Placement& placement) {
  return !placement.spread.empty() || !placement.required_affinity.empty() ||
         !placement.required_anti_affinity.empty();
}

std::optional<std::string> pod_signature(const policy::Pod& pod, const policy::ClusterRoom& room) {
  if (!has_bound_claims(pod, room)) return std::nullopt;
  if (!pod.nominated_node.empty() || !pod.placement.gates.empty()) return std::nullopt;
  ExactText text;
  text.add_number(policy::priority_of(pod));
  text.add_choice(policy::preemption_policy_of(pod));
  text.add(policy::group_key_of(pod));
  text.add_number(pod.has_resource_claims ? 1 : 0);
  policy::for_each_amount(policy::totals_of(pod).desired,
                          [&](std::string_view name, std::int64_t amount) {
                            text.add(name);
                            text.add_number(amount);
                          });
  if (!pod.placement.claims.empty()) {
    // The claims of pods from one template differ; what is told of them holds until a volume, or
    // what says how volumes are used, changes.
    text.add(pod.uid);
    text.add_number(room.volumes().changes());
  }
  add(text, pod.placement);
  add_company(text, pod, room);
  add_repelling(text, pod, room);
  return std::move(text.text);
}

}  // namespace elbowroom::scheduler
