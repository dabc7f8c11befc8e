#include "test/simulation/plain_placing.h"

#include <algorithm>
#include <string_view>

#include "policy/model/condition.h"

namespace elbowroom::test {
namespace {

using policy::Node;
using policy::Pod;

constexpr TurnedOut::Time kFirstStay{60'000};
constexpr TurnedOut::Time kLongestStay{1'800'000};

bool is_evicted(const Pod& pod) {
  const policy::Condition* target =
      policy::find_condition(pod.conditions, policy::kDisruptionTarget);
  return target != nullptr && target->reason == policy::kReasonTerminationByKubelet;
}

bool is_removed(const Pod& pod) {
  return policy::has_true(pod.conditions, policy::kDisruptionTarget) && !is_evicted(pod);
}

bool began(const Pod& pod) {
  return std::ranges::any_of(pod.containers, [](const policy::Container& each) {
    return each.state != policy::RunState::None && each.state != policy::RunState::Waiting;
  });
}

const std::string& owner_of(const Pod& pod) {
  return pod.controller ? pod.controller->uid : pod.uid;
}

PlainCluster without(const PlainCluster& cluster, const Uids& gone) {
  PlainCluster left{.nodes = cluster.nodes};
  for (const Pod& pod : cluster.pods) {
    if (!gone.contains(pod.uid)) left.pods.push_back(pod);
  }
  return left;
}

bool counts(const Pod& nominated, const Pod& pod, const Node& node) {
  return nominated.node == node.name && nominated.uid != pod.uid &&
         policy::priority_of(nominated) >= policy::priority_of(pod);
}

// With the nominated that count.
PlainCluster crowded(const PlainMoment& moment, PlainCluster cluster, const Pod& pod,
                     const Node& node) {
  for (const Pod& each : moment.nominated) {
    if (counts(each, pod, node)) cluster.pods.push_back(each);
  }
  return cluster;
}

bool is_ready(const Node& node) {
  return node.ready != policy::NodeReady::False && node.ready != policy::NodeReady::Unknown;
}

std::set<std::string> lacking(const PlainCluster& cluster, const Pod& pod, const Node& node) {
  policy::Resources used;
  std::int64_t count = 0;
  for (const Pod& each : cluster.pods) {
    if (each.node != node.name) continue;
    policy::add_to(used, policy::cluster_charge(each));
    ++count;
  }
  std::set<std::string> reasons;
  if (count >= node.allowed_pods) reasons.insert("Too many pods");
  policy::for_each_amount(policy::totals_of(pod).desired,
                          [&](std::string_view name, std::int64_t amount) {
                            const std::int64_t there = policy::amount_of(node.allocatable, name);
                            if (amount > 0 && policy::amount_of(used, name) > there - amount) {
                              reasons.insert("Insufficient " + std::string(name));
                            }
                          });
  return reasons;
}

bool has_free_ports(const PlainCluster& cluster, const Pod& pod, const Node& node) {
  return std::ranges::none_of(cluster.pods, [&](const Pod& each) {
    return each.node == node.name &&
           std::ranges::any_of(each.placement.host_ports, [&](const policy::HostPort& a) {
             return std::ranges::any_of(pod.placement.host_ports, [&](const policy::HostPort& b) {
               return a.port == b.port;
             });
           });
  });
}

bool has_unwanted(const PlainCluster& cluster, const Pod& pod, const Node& node) {
  return std::ranges::any_of(cluster.pods, [&](const Pod& each) {
    return std::ranges::any_of(pod.placement.required_anti_affinity,
                               [&](const policy::PodTerm& term) {
                                 return plain_about(term, each) &&
                                        together(node, node_of(cluster, each), term.topology_key);
                               });
  });
}

}  // namespace

void TurnedOut::note(const Pod& failed, Time at, Time now) {
  if (failed.phase != policy::Phase::Failed || failed.node.empty() || is_removed(failed)) return;
  if (!is_evicted(failed) && began(failed)) return;
  if (now - at >= 2 * kLongestStay) return;
  Stay& stay = stays_[{owner_of(failed), failed.node}];
  if (!stay.uids.insert(failed.uid).second) return;
  if (stay.uids.size() > 1 && at < stay.latest) return;
  stay.latest = at;
  stay.why = "node(s) had " + std::string(is_evicted(failed) ? "evicted" : "refused") +
             " a pod like it lately";
}

std::map<std::string, std::string> TurnedOut::avoided_by(const Pod& pod, Time now) const {
  std::map<std::string, std::string> nodes;
  for (const auto& [where, stay] : stays_) {
    const auto doubled = std::min<std::size_t>(stay.uids.size() - 1, 5);
    const Time until = stay.latest + std::min(kFirstStay * (1U << doubled), kLongestStay);
    if (where.first == owner_of(pod) && until > now) nodes[where.second] = stay.why;
  }
  return nodes;
}

bool plain_claims(const Pod& pod, const Node& node) {
  const std::string* zone = label(node, "zone");
  return std::ranges::all_of(pod.placement.claims, [&](const policy::PodClaim& claim) {
    return zone != nullptr && claim.name.substr(0, claim.name.find('-')) == *zone;
  });
}

bool fits_beside(const PlainMoment& moment, const Pod& pod, const Node& node, const Uids& gone) {
  if (!plain_claims(pod, node)) return false;
  const PlainCluster left = without(moment.cluster, gone);
  return plain_fits(left, pod, node) && plain_fits(crowded(moment, left, pod, node), pod, node);
}

std::vector<std::string> nodes_that_take(const PlainMoment& moment, const Pod& pod) {
  std::vector<std::string> names;
  for (const Node& node : moment.cluster.nodes) {
    if (moment.avoided.contains(node.name)) continue;
    if (fits_beside(moment, pod, node, {})) names.push_back(node.name);
  }
  return names;
}

std::vector<std::string> nodes_that_empty(const PlainMoment& moment, const Pod& pod) {
  std::vector<std::string> names;
  for (const Node& node : moment.cluster.nodes) {
    if (moment.avoided.contains(node.name) || !is_ready(node)) continue;
    if (fits_beside(moment, pod, node, moment.leaving)) names.push_back(node.name);
  }
  return names;
}

std::set<std::string> reasons_of(const PlainMoment& moment, const Pod& pod, const Node& node) {
  std::set<std::string> reasons;
  const auto avoided = moment.avoided.find(node.name);
  if (avoided != moment.avoided.end()) reasons.insert(avoided->second);
  if (node.unschedulable) reasons.insert("node(s) were unschedulable");
  if (!plain_taints(pod, node)) reasons.insert("node(s) had untolerated taint(s)");
  if (!plain_node_affinity(pod, node)) {
    reasons.insert("node(s) didn't match Pod's node affinity/selector");
  }
  if (!plain_claims(pod, node)) {
    reasons.insert("node(s) didn't match PersistentVolume's node affinity");
    reasons.insert("node(s) didn't find available persistent volumes to bind");
  }
  const PlainCluster with = crowded(moment, moment.cluster, pod, node);
  for (const PlainCluster* each : {&moment.cluster, &with}) {
    reasons.merge(lacking(*each, pod, node));
    if (!has_free_ports(*each, pod, node)) {
      reasons.insert("node(s) didn't have free ports for the requested pod ports");
    }
    if (!plain_spread(*each, pod, node)) {
      reasons.insert("node(s) didn't match pod topology spread constraints");
    }
    if (has_unwanted(*each, pod, node)) {
      reasons.insert("node(s) didn't match pod anti-affinity rules");
    }
    Pod alone = pod;
    alone.placement.required_anti_affinity.clear();
    if (!plain_neighbours(*each, alone, node)) {
      reasons.insert("node(s) didn't satisfy existing pods anti-affinity rules");
    }
  }
  return reasons;
}

std::string untruth_in(const std::string& message, const PlainMoment& moment, const Pod& pod) {
  const std::string begin =
      "0/" + std::to_string(moment.cluster.nodes.size()) + " nodes are available: ";
  if (!message.starts_with(begin)) return "not of as many nodes as there are";
  std::map<std::string, std::size_t> holds;
  for (const Node& node : moment.cluster.nodes) {
    for (const std::string& reason : reasons_of(moment, pod, node)) ++holds[reason];
  }
  const std::string list = message.substr(begin.size(), message.find('.') - begin.size());
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(", ", at), list.size());
    const std::string each = list.substr(at, end - at);
    const std::size_t space = each.find(' ');
    const std::string reason = each.substr(std::min(space + 1, each.size()));
    if (holds[reason] < std::stoul(each)) {
      return "\"" + reason + "\" holds of " + std::to_string(holds[reason]);
    }
    at = end + 2;
  }
  return "";
}

}  // namespace elbowroom::test
