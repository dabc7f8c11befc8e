// Clusters that people have, as data: each world says what its nodes and pods are like, and makes
// them one by one, by number. All of them have ten pods a node on average. A world is `plain` plus
// what its row says; `mixed` has all of it.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/budget.h"
#include "policy/model/node.h"
#include "policy/model/placement.h"
#include "policy/model/pod.h"
#include "test/bench/large_cluster.h"

namespace elbowroom::bench {

struct World {
  std::string_view name{};
  bool unique_labels = false;  // as StatefulSets and Jobs have: an app of ten pods, a label a pod
  bool budgets = false;        // one in each of 500 namespaces, and 100 in one
  bool own_taints = false;     // each node has a taint with a value of its own
  bool devices = false;        // a tenth of nodes and pods has an extended resource
  bool terms = false;          // a third of pods has anti-affinity, another third a spread
  bool large_nodes = false;    // a twentieth of the nodes has 110 pods, the others have fewer
  bool on_the_move = false;    // one pod in 100 is leaving, one node in 100 has a nominated pod
  bool volumes = false;        // each node has a free local volume
};

inline constexpr std::array<World, 7> kWorlds = {{
    {.name = "plain"},
    {.name = "unique", .unique_labels = true},
    {.name = "budgets", .budgets = true},
    {.name = "tainted", .own_taints = true},
    {.name = "devices", .devices = true},
    {.name = "terms", .terms = true},
    {.name = "mixed",
     .unique_labels = true,
     .budgets = true,
     .own_taints = true,
     .devices = true,
     .terms = true,
     .large_nodes = true,
     .on_the_move = true,
     .volumes = true},
}};

inline constexpr const char* kZone = "topology.kubernetes.io/zone";
inline constexpr const char* kHostname = "kubernetes.io/hostname";
inline constexpr const char* kDevice = "example.com/gpu";
inline constexpr std::size_t kTeams = 500;
inline constexpr std::size_t kPodsOfApp = 10;
inline constexpr std::size_t kLargeEvery = 20;
inline constexpr policy::Time kWorldTime{std::chrono::seconds(1'780'003'600)};

// How many pods that node has.
inline std::size_t pods_on(const World& world, std::size_t node) {
  if (!world.large_nodes) return kPodsPerNode;
  if (node % kLargeEvery == 0) return 110;
  return node % 4 == 0 ? 4 : 5;
}

inline std::string app_of(const World& world, std::size_t number) {
  return world.unique_labels ? "app-" + std::to_string(number / kPodsOfApp) : "web";
}

inline std::string team_of(const World& world, std::size_t number) {
  const std::size_t teams = world.budgets ? kTeams : 20;
  return "team-" + std::to_string(number / kPodsOfApp % teams);
}

// Nodes have room for one more pod of this size, or, where they are `full`, for none.
inline policy::Node node_in(const World& world, std::size_t number, bool full) {
  policy::Node node = node_of(number);
  const auto pods = static_cast<std::int64_t>(pods_on(world, number));
  node.allocatable.cpu.value = pods * 1'500 + (full ? 500 : 3'000);
  node.allocatable.memory.value = (pods + 4) * (std::int64_t{512} << 20);
  node.allowed_pods = std::max<std::int64_t>(110, pods + 5);
  if (world.own_taints) {
    node.taints = {{.key = "dedicated", .value = "unit-" + std::to_string(number)}};
  }
  if (world.devices && number % 10 == 1) node.allocatable.others[kDevice] = 8;
  return node;
}

inline policy::PodTerm beside(const policy::Pod& pod, const char* topology) {
  return {.selector = policy::LabelSelector{.match_labels = {{"app", pod.labels.at("app")}}},
          .namespaces = {pod.ns},
          .topology_key = topology};
}

inline policy::SpreadConstraint spread_over(const policy::Pod& pod, const char* topology,
                                            std::int32_t skew, bool required) {
  return {.max_skew = skew,
          .topology_key = topology,
          .required = required,
          .selector = policy::LabelSelector{.match_labels = {{"app", pod.labels.at("app")}}}};
}

inline void name_owner(const World& world, policy::Pod& pod, std::size_t number) {
  pod.ns = team_of(world, number);
  pod.labels["app"] = app_of(world, number);
  if (!world.unique_labels) return;
  pod.labels["statefulset.kubernetes.io/pod-name"] = pod.name;
  pod.labels["apps.kubernetes.io/pod-index"] = std::to_string(number % kPodsOfApp);
  pod.controller->uid = "0a1b2c3d-0002-4000-8000-" + twelve_digits(number / kPodsOfApp);
}

// `number` of those on that node.
inline policy::Pod pod_in(const World& world, std::size_t on, std::size_t number) {
  policy::Pod pod = pod_of(on, number);
  // Pods of one app are on different nodes.
  const std::size_t all = on + number * 7'919;
  name_owner(world, pod, all);
  pod.priority = static_cast<std::int32_t>(number % 10) * 10;
  if (world.own_taints) {
    pod.placement.tolerations = {{.key = "dedicated", .op = policy::TolerationOperator::Exists}};
  }
  if (world.devices && on % 10 == 1 && number % 2 == 0) {
    pod.containers.front().desired.requests.others[kDevice] = 1;
  }
  if (world.terms && number % 3 == 0) {
    pod.placement.required_anti_affinity = {beside(pod, kHostname)};
  } else if (world.terms && number % 3 == 1) {
    pod.placement.spread = {spread_over(pod, kZone, 5, true)};
  }
  if (world.on_the_move && all % 100 == 7) pod.deletion = kWorldTime + std::chrono::seconds(30);
  return pod;
}

// A pod that waits for a node.
inline policy::Pod pending_in(const World& world, std::size_t number) {
  policy::Pod pod = pod_in(world, number, 0);
  pod.name = "pending-" + std::to_string(number);
  pod.uid = pod.name;
  pod.node.clear();
  pod.placement = {};
  name_owner(world, pod, number * 31);
  pod.phase = policy::Phase::Pending;
  pod.deletion.reset();
  pod.priority = 1'000;
  pod.started.reset();
  pod.conditions.clear();
  if (world.own_taints) {
    pod.placement.tolerations = {{.key = "dedicated", .op = policy::TolerationOperator::Exists}};
  }
  for (policy::Container& each : pod.containers) {
    each.desired.requests.others.clear();
    each.allocated_requests.reset();
    each.actual_requests.reset();
    each.actual_limits.reset();
    each.state = policy::RunState::Waiting;
  }
  return pod;
}

// A less important pod that waits for its victims on that node.
inline policy::Pod nominated_in(const World& world, std::size_t node) {
  policy::Pod pod = pending_in(world, node);
  pod.name = "nominated-" + std::to_string(node);
  pod.uid = pod.name;
  pod.nominated_node = "node-" + std::to_string(node);
  return pod;
}

inline bool has_nominated(const World& world, std::size_t node) {
  return world.on_the_move && node % 100 == 3;
}

inline std::vector<policy::PodDisruptionBudget> budgets_in(const World& world) {
  std::vector<policy::PodDisruptionBudget> budgets;
  if (!world.budgets) return budgets;
  const auto add = [&](std::size_t team, std::size_t number, policy::LabelSelector selector) {
    budgets.push_back(
        {.ns = "team-" + std::to_string(team),
         .name = "budget-" + std::to_string(number),
         .uid = "uid-of-budget-" + std::to_string(team) + "-" + std::to_string(number),
         .selector = std::move(selector),
         .disruptions_allowed = static_cast<std::int64_t>(number % 3)});
  };
  for (std::size_t team = 0; team < kTeams; ++team) {
    add(team, team, {.match_labels = {{"app.kubernetes.io/part-of", "shop"}}});
  }
  for (std::size_t number = 0; number < 100; ++number) {
    add(7, 1'000 + number, {.match_labels = {{"app", "app-" + std::to_string(number)}}});
  }
  return budgets;
}

}  // namespace elbowroom::bench
