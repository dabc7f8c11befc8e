#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "policy/model/natural_order.h"
#include "policy/overview/overview.h"
#include "policy/preemption/node_groups.h"

namespace elbowroom::policy {
namespace {

using PodsByName = std::map<std::string, std::vector<Pod>, std::less<>>;

const std::vector<Pod>& at(const PodsByName& pods, std::string_view name) {
  static const std::vector<Pod> none;
  const auto found = pods.find(name);
  return found == pods.end() ? none : found->second;
}

// The pods of a cluster, by what an overview asks for.
struct Placed {
  PodsByName on_node{};
  PodsByName nominated{};  // by node
  PodsByName of_group{};   // those with a node; by NAMESPACE/NAME
};

Placed placed(std::vector<Pod> pods) {
  Placed all;
  for (Pod& each : pods) {
    if (each.node.empty()) {
      if (!each.nominated_node.empty()) all.nominated[each.nominated_node].push_back(each);
      continue;
    }
    if (each.group) all.of_group[group_key_of(each)].push_back(each);
    std::vector<Pod>& there = all.on_node[each.node];
    there.push_back(std::move(each));
  }
  return all;
}

// The pods on other nodes of the groups that have pods on this one.
std::vector<Pod> elsewhere_of(const std::string& node, const Placed& pods) {
  std::set<std::string> groups;
  for (const Pod& each : at(pods.on_node, node)) {
    if (each.group) groups.insert(group_key_of(each));
  }
  std::vector<Pod> elsewhere;
  for (const std::string& group : groups) {
    std::ranges::copy_if(at(pods.of_group, group), std::back_inserter(elsewhere),
                         [&](const Pod& each) { return each.node != node; });
  }
  return elsewhere;
}

void add_part(NodePart part, Overview& all) {
  all.nodes.push_back(std::move(part.node));
  std::ranges::move(part.waiting, std::back_inserter(all.waiting));
  std::ranges::move(part.leaving, std::back_inserter(all.leaving));
}

}  // namespace

Overview overview_of_cluster(ClusterScene scene) {
  std::ranges::sort(scene.nodes, natural_less, &Node::name);
  Budgets& budgets = scene.budgets;
  const OverduePods lapsed = overdue_pods_at(scene.pods, scene.now);
  budgets.cluster_pods = std::move(scene.pods);
  Overview all{.now = scene.now,
               .budgets = overview_of_budgets(budgets, scene.now),
               .removals = recent_removals(budgets, scene.now)};
  budgets.strengths.clear();
  for (const DisruptionBudget& each : budgets.ours) {
    budgets.strengths.push_back(strength_of(each, budgets.cluster_pods));
  }
  // A PodDisruptionBudget says itself what it allows; only ours are counted by pods.
  const Placed pods = budgets.ours.empty() ? placed(std::exchange(budgets.cluster_pods, {}))
                                           : placed(budgets.cluster_pods);
  Unremovable unremovable;
  for (const Node& node : scene.nodes) {
    if (pods.of_group.empty()) break;
    note_stuck(node, at(pods.on_node, node.name), lapsed, unremovable);
  }
  for (const Node& node : scene.nodes) {
    const std::vector<Pod> elsewhere = elsewhere_of(node.name, pods);
    add_part(overview_of_node({.node = node,
                               .pods = at(pods.on_node, node.name),
                               .nominated = at(pods.nominated, node.name),
                               .budgets = budgets,
                               .lapsed = lapsed,
                               .rules = scene.rules,
                               .now = scene.now,
                               .elsewhere = elsewhere,
                               .unremovable = &unremovable,
                               .lacks = scene.lacks}),
             all);
  }
  return all;
}

}  // namespace elbowroom::policy
