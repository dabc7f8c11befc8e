// One node with its pods, for tests of preemption for resizes. A pod made here runs as allocated;
// each test changes only what it tests.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "policy/preemption/resize_preemption.h"

namespace elbowroom::test {

inline constexpr policy::Time kNoon = policy::Time{std::chrono::hours{490'000}};

inline policy::Resources figures(std::int64_t cpu_m, std::int64_t memory = 0) {
  policy::Resources of;
  of.cpu.value = cpu_m;
  of.memory.value = memory;
  return of;
}

// A pod that runs on node1 since `start` seconds after the epoch; name and uid are equal.
inline policy::Pod pod_of_size(const std::string& name, std::int32_t priority,
                               const policy::Resources& size, int start = 1) {
  policy::Pod pod;
  pod.ns = "default";
  pod.name = pod.uid = name;
  pod.generation = 1;
  pod.node = "node1";
  pod.phase = policy::Phase::Running;
  pod.priority = priority;
  pod.qos_in_status = policy::Qos::Burstable;
  pod.started = policy::Time{std::chrono::seconds{start}};
  policy::Container app;
  app.name = "app";
  app.desired.requests = size;
  app.allocated_requests = app.actual_requests = size;
  app.state = policy::RunState::Running;
  pod.containers.push_back(app);
  return pod;
}

inline policy::Condition condition(std::string_view type, std::string_view reason,
                                   std::string_view status = "True") {
  return {.type = std::string(type),
          .status = std::string(status),
          .reason = std::string(reason),
          .message = "",
          .observed_generation = std::nullopt,
          .last_transition = std::nullopt};
}

// The pod after a user requested another size and the node marked it Deferred.
inline policy::Pod deferred_to(policy::Pod pod, const policy::Resources& desired) {
  pod.containers.at(0).desired.requests = desired;
  ++pod.generation;
  pod.conditions.push_back(condition(policy::kPodResizePending, policy::kReasonDeferred));
  return pod;
}

// Its deletion deadline is that many seconds after kNoon.
inline policy::Pod terminating(policy::Pod pod, int deadline_s) {
  pod.deletion = kNoon + std::chrono::seconds{deadline_s};
  return pod;
}

struct NodeWorld {
  policy::Node node{};
  std::vector<policy::Pod> pods{};
  std::vector<policy::Pod> nominated{};
  policy::Budgets budgets{};
  std::vector<policy::Pod> elsewhere{};  // of groups that have pods in `pods`
  policy::RuleSet rules = policy::RuleSet::Elbowroom;
  bool critical_by_node = false;
};

inline NodeWorld world_of(std::int64_t cpu_m, std::int64_t memory = std::int64_t{1} << 40) {
  NodeWorld world;
  world.node.name = "node1";
  world.node.allocatable = figures(cpu_m, memory);
  world.node.allowed_pods = 110;
  world.node.ready = policy::NodeReady::True;
  return world;
}

// The plan for the pod of that name at kNoon; its pointers are valid as long as the world.
inline policy::ResizePreemption plan(const NodeWorld& world, const std::string& name) {
  const policy::OverduePods lapsed = policy::overdue_pods_at(world.pods, kNoon);
  return policy::plan_resize_preemption({.node = world.node,
                                         .pods = world.pods,
                                         .nominated = world.nominated,
                                         .budgets = world.budgets,
                                         .lapsed = lapsed,
                                         .rules = world.rules,
                                         .critical_by_node = world.critical_by_node,
                                         .now = kNoon,
                                         .elsewhere = world.elsewhere},
                                        name);
}

inline std::set<std::string> victims_of(const policy::ResizePreemption& planned) {
  std::set<std::string> names;
  for (const policy::ChosenVictim& each : planned.victims) names.insert(each.pod->name);
  return names;
}

inline std::set<std::string> victims(const NodeWorld& world, const std::string& name) {
  return victims_of(plan(world, name));
}

// Why that pod is no victim; "" if it was not considered.
inline std::string why_considered(const policy::ResizePreemption& planned,
                                  const std::string& name) {
  const auto at = std::ranges::find_if(
      planned.considered, [&](const policy::SparedPod& each) { return each.pod->name == name; });
  return at == planned.considered.end() ? "" : at->why;
}

}  // namespace elbowroom::test
