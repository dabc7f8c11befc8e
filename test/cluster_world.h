// A few nodes with pods, and a pending pod, for tests of placement. Names and uids of pods are
// equal, their namespace is default, and each test changes only what it tests.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "policy/placement/schedule.h"
#include "test/node_world.h"

namespace elbowroom::test {

inline constexpr std::int64_t kNodeMemory = std::int64_t{64} << 30;

struct ClusterWorld {
  std::vector<policy::Node> nodes{};
  std::vector<policy::Pod> pods{};
  policy::Budgets budgets{};
  std::map<std::string, policy::Labels, std::less<>> namespaces{};
  std::vector<policy::Selecting> selecting{};
  policy::VolumeObjects volumes{};
  policy::Time now = kNoon;

  // With the label kubernetes.io/hostname; 110 pods.
  policy::Node& node(const std::string& name, std::int64_t cpu_m,
                     std::int64_t memory = kNodeMemory) {
    policy::Node& made = nodes.emplace_back();
    made.name = made.uid = name;
    made.labels["kubernetes.io/hostname"] = name;
    made.allocatable = figures(cpu_m, memory);
    made.allowed_pods = 110;
    made.ready = policy::NodeReady::True;
    return made;
  }

  policy::Pod& runs(const std::string& name, const std::string& on, std::int32_t priority,
                    std::int64_t cpu_m, int start = 1) {
    policy::Pod& made = pods.emplace_back(pod_of_size(name, priority, figures(cpu_m), start));
    made.node = on;
    return made;
  }

  // Among the pods as well, as in a cluster.
  static policy::Pod pending(const std::string& name, std::int32_t priority, std::int64_t cpu_m,
                             std::int64_t memory = 0) {
    policy::Pod made = pod_of_size(name, priority, figures(cpu_m, memory));
    made.node.clear();
    made.started.reset();
    made.phase = policy::Phase::Pending;
    for (policy::Container& each : made.containers) {
      each.allocated_requests.reset();
      each.actual_requests.reset();
      each.state = policy::RunState::None;
    }
    return made;
  }

  policy::Pod& waits(const std::string& name, std::int32_t priority, std::int64_t cpu_m,
                     const std::string& nominated = "") {
    policy::Pod& made = pods.emplace_back(pending(name, priority, cpu_m));
    made.nominated_node = nominated;
    return made;
  }

  [[nodiscard]] policy::SchedulingDecision ask(
      const policy::Pod& pod, policy::RuleSet rules = policy::RuleSet::Elbowroom) const {
    return policy::schedule(policy::ClusterMoment{.nodes = nodes,
                                                  .pods = pods,
                                                  .budgets = budgets,
                                                  .namespaces = namespaces,
                                                  .selecting = selecting,
                                                  .volumes = &volumes,
                                                  .rules = rules,
                                                  .now = now},
                            pod);
  }
};

// Makes the pod terminating, with that many seconds left until its deadline (negative: past it).
inline void terminate(policy::Pod& pod, policy::Time now, int seconds_left) {
  pod.deletion = now + std::chrono::seconds(seconds_left);
  pod.deletion_grace_seconds = 30;
}

inline std::set<std::string> names_of(const std::vector<policy::VictimReport>& victims) {
  std::set<std::string> names;
  for (const policy::VictimReport& each : victims) names.insert(each.uid);
  return names;
}

inline const policy::NodeAnswer& answer_of(const policy::SchedulingDecision& decision,
                                           const std::string& node) {
  static const policy::NodeAnswer kNone{.node = "no such node"};
  const auto at = std::ranges::find(decision.nodes, node, &policy::NodeAnswer::node);
  return at == decision.nodes.end() ? kNone : *at;
}

}  // namespace elbowroom::test
