// A second, plain implementation of the filters for pending pods: loops over all pods, without
// caches. Tests compare the real filters with it; it shares no code with them except selectors and
// sums.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "policy/model/charge.h"
#include "policy/model/node.h"
#include "policy/model/placement.h"
#include "policy/model/pod.h"
#include "policy/model/selector.h"

namespace elbowroom::test {

// Pods where they are, or would be.
struct PlainCluster {
  std::vector<policy::Node> nodes{};
  std::vector<policy::Pod> pods{};  // each with the node where it counts
  std::map<std::string, policy::Labels, std::less<>> namespaces{};  // labels of those that have any
};

inline const std::string* label(const policy::Node& node, const std::string& key) {
  const auto at = node.labels.find(key);
  return at == node.labels.end() ? nullptr : &at->second;
}

inline bool plain_expression(const policy::NodeExpression& each, const policy::Node& node) {
  const std::string* value = label(node, each.key);
  const bool listed =
      value != nullptr && std::ranges::find(each.values, *value) != each.values.end();
  switch (each.op) {
    case policy::NodeOperator::In:
      return listed;
    case policy::NodeOperator::NotIn:
      return !listed;
    case policy::NodeOperator::Exists:
      return value != nullptr;
    case policy::NodeOperator::DoesNotExist:
      return value == nullptr;
    case policy::NodeOperator::Gt:
      return value != nullptr && std::stoll(*value) > std::stoll(each.values[0]);
    case policy::NodeOperator::Lt:
      return value != nullptr && std::stoll(*value) < std::stoll(each.values[0]);
  }
  return false;
}

inline bool plain_node_affinity(const policy::Pod& pod, const policy::Node& node) {
  for (const auto& [key, value] : pod.placement.node_selector) {
    if (label(node, key) == nullptr || *label(node, key) != value) return false;
  }
  if (!pod.placement.required_nodes) return true;
  return std::ranges::any_of(*pod.placement.required_nodes, [&](const policy::NodeTerm& term) {
    return !term.labels.empty() && std::ranges::all_of(term.labels, [&](const auto& each) {
      return plain_expression(each, node);
    });
  });
}

inline bool plain_taints(const policy::Pod& pod, const policy::Node& node) {
  return std::ranges::all_of(node.taints, [&](const policy::Taint& taint) {
    return taint.effect == policy::TaintEffect::PreferNoSchedule ||
           policy::tolerates(pod.placement.tolerations, taint);
  });
}

// Refusals that no removal of pods could lift.
inline bool plain_standing(const policy::Pod& pod, const policy::Node& node) {
  if (node.unschedulable || !plain_taints(pod, node) || !plain_node_affinity(pod, node)) {
    return false;
  }
  return !policy::exceeds_anywhere(policy::totals_of(pod).desired, node.allocatable);
}

inline bool plain_room(const PlainCluster& cluster, const policy::Pod& pod,
                       const policy::Node& node) {
  const policy::Resources request = policy::totals_of(pod).desired;
  policy::Resources used;
  std::set<std::string> claims;
  std::int64_t count = 0;
  for (const policy::Pod& each : cluster.pods) {
    if (each.node != node.name) continue;
    policy::Resources charge = policy::cluster_charge(each);
    for (const policy::ClaimedResources& claim : each.claimed) {
      if (claim.claim.empty() || claims.insert(each.ns + "/" + claim.claim).second) continue;
      charge.cpu.value -= claim.amounts.cpu.value;  // counted with another pod
    }
    policy::add_to(used, charge);
    ++count;
    for (const policy::HostPort& a : each.placement.host_ports) {
      for (const policy::HostPort& b : pod.placement.host_ports) {
        if (a.port == b.port && a.protocol == b.protocol) return false;
      }
    }
  }
  if (count >= node.allowed_pods) return false;
  bool fits = true;
  policy::for_each_amount(request, [&](std::string_view name, std::int64_t amount) {
    // The used amount may be the largest possible amount.
    fits =
        fits && policy::amount_of(used, name) <= policy::amount_of(node.allocatable, name) - amount;
  });
  return fits;
}

inline bool plain_about(const policy::PodTerm& term, const policy::Pod& pod) {
  return term.selector && policy::matches(*term.selector, pod.labels) &&
         std::ranges::find(term.namespaces, pod.ns) != term.namespaces.end();
}

// The same where terms may select namespaces; each has its name for a label.
inline bool plain_about(const PlainCluster& cluster, const policy::PodTerm& term,
                        const policy::Pod& pod) {
  if (plain_about(term, pod)) return true;
  if (!term.selector || !policy::matches(*term.selector, pod.labels)) return false;
  const auto at = cluster.namespaces.find(pod.ns);
  policy::Labels labels = at == cluster.namespaces.end() ? policy::Labels{} : at->second;
  labels["kubernetes.io/metadata.name"] = pod.ns;
  return term.namespace_selector && policy::matches(*term.namespace_selector, labels);
}

inline const policy::Node* node_of(const PlainCluster& cluster, const policy::Pod& pod) {
  const auto at = std::ranges::find(cluster.nodes, pod.node, &policy::Node::name);
  return at == cluster.nodes.end() ? nullptr : &*at;
}

// Do both nodes have the label, with the same value?
inline bool together(const policy::Node& a, const policy::Node* b, const std::string& key) {
  return b != nullptr && label(a, key) != nullptr && label(*b, key) != nullptr &&
         *label(a, key) == *label(*b, key);
}

inline bool plain_neighbours(const PlainCluster& cluster, const policy::Pod& pod,
                             const policy::Node& node) {
  const std::vector<policy::PodTerm>& near = pod.placement.required_affinity;
  const auto wanted = [&](const policy::Pod& each) {
    return std::ranges::all_of(near,
                               [&](const auto& term) { return plain_about(cluster, term, each); });
  };
  bool anywhere = false;
  std::set<std::size_t> met;
  for (const policy::Pod& each : cluster.pods) {
    const policy::Node* at = node_of(cluster, each);
    if (at == nullptr) continue;
    for (std::size_t i = 0; i < near.size(); ++i) {
      if (!wanted(each) || label(*at, near[i].topology_key) == nullptr) continue;
      anywhere = true;
      if (together(node, at, near[i].topology_key)) met.insert(i);
    }
    for (const policy::PodTerm& term : pod.placement.required_anti_affinity) {
      if (plain_about(cluster, term, each) && together(node, at, term.topology_key)) return false;
    }
    for (const policy::PodTerm& term : each.placement.required_anti_affinity) {
      if (plain_about(cluster, term, pod) && together(node, at, term.topology_key)) return false;
    }
  }
  for (const policy::PodTerm& term : near) {
    if (label(node, term.topology_key) == nullptr) return false;
  }
  return met.size() == near.size() || (!anywhere && wanted(pod));
}

inline bool plain_spread(const PlainCluster& cluster, const policy::Pod& pod,
                         const policy::Node& node) {
  const auto has_all_keys = [&](const policy::Node& each) {
    return std::ranges::all_of(pod.placement.spread, [&](const policy::SpreadConstraint& one) {
      return !one.required || label(each, one.topology_key) != nullptr;
    });
  };
  for (const policy::SpreadConstraint& one : pod.placement.spread) {
    if (!one.required) continue;
    if (label(node, one.topology_key) == nullptr) return false;
    const auto counts = [&](const policy::Node& each) {
      return has_all_keys(each) && (!one.honors_node_affinity || plain_node_affinity(pod, each)) &&
             (!one.honors_taints || plain_taints(pod, each));
    };
    std::map<std::string, std::int64_t> domains;
    for (const policy::Node& each : cluster.nodes) {
      if (counts(each)) domains.emplace(*label(each, one.topology_key), 0);
    }
    for (const policy::Pod& each : cluster.pods) {
      const policy::Node* at = node_of(cluster, each);
      if (at == nullptr || !counts(*at) || each.ns != pod.ns || policy::is_terminating(each))
        continue;
      if (one.selector && policy::matches(*one.selector, each.labels)) {
        ++domains[*label(*at, one.topology_key)];
      }
    }
    std::int64_t least = std::numeric_limits<std::int32_t>::max();
    for (const auto& [value, count] : domains) least = std::min(least, count);
    if (static_cast<std::int64_t>(domains.size()) < one.min_domains) least = 0;
    const auto here = domains.find(*label(node, one.topology_key));
    const std::int64_t self = one.selector && policy::matches(*one.selector, pod.labels) ? 1 : 0;
    if ((here == domains.end() ? 0 : here->second) + self - least > one.max_skew) return false;
  }
  return true;
}

// Does the pod fit on the node as the cluster is?
inline bool plain_fits(const PlainCluster& cluster, const policy::Pod& pod,
                       const policy::Node& node) {
  return plain_standing(pod, node) && plain_room(cluster, pod, node) &&
         plain_spread(cluster, pod, node) && plain_neighbours(cluster, pod, node);
}

}  // namespace elbowroom::test
