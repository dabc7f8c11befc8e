// A cluster with pod groups, for tests of gangs. "train" is a gang of priority 100.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "policy/placement/group_schedule.h"
#include "test/cluster_world.h"
#include "test/node_world.h"

namespace elbowroom::test {

struct GangWorld : ClusterWorld {
  policy::PodGroup train{.ns = "default",
                         .name = "train",
                         .standing = {.uid = "g-train", .priority = 100, .min_count = 2}};
  policy::RuleSet rules = policy::RuleSet::Elbowroom;

  void members(const std::string& prefix, int count, std::int64_t cpu_m) {
    for (int i = 0; i < count; ++i) {
      policy::Pod pod = ClusterWorld::pending(prefix + std::to_string(i), 0, cpu_m);
      pod.scheduling_group = "train";
      pods.push_back(pod);
    }
  }
  void group(policy::Pod& pod, const std::string& name, std::int32_t priority,
             policy::DisruptionMode mode) {
    pod.scheduling_group = name;
    pod.group = {.uid = "g-" + name, .priority = priority, .mode = mode};
  }
  policy::GroupSchedulingDecision ask() {
    for (policy::Pod& pod : pods) {
      if (pod.scheduling_group == "train") pod.group = train.standing;
    }
    return policy::schedule_group(
        {.nodes = nodes, .pods = pods, .budgets = budgets, .rules = rules, .now = kNoon}, train);
  }
};

inline std::vector<std::string> nodes_of(const policy::GroupSchedulingDecision& decision) {
  std::vector<std::string> nodes;
  for (const policy::MemberPlacement& each : decision.placements) nodes.push_back(each.node);
  return nodes;
}

inline std::vector<std::string> victims_of(const policy::GroupSchedulingDecision& decision) {
  std::vector<std::string> victims;
  for (const policy::VictimReport& each : decision.victims) victims.push_back(each.uid);
  return victims;
}

}  // namespace elbowroom::test
