// The nodes and pods of a large cluster, one by one, by number. A pod has a realistic size: three
// labels, two containers, conditions with times.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "policy/model/node.h"
#include "policy/model/pod.h"

namespace elbowroom::bench {

inline constexpr std::size_t kNodes = 5'000;
inline constexpr std::size_t kPodsPerNode = 10;

inline std::string twelve_digits(std::size_t number) {
  std::string digits = std::to_string(number);
  return std::string(12 - digits.size(), '0') + digits;
}

inline policy::Node node_of(std::size_t number) {
  policy::Node node;
  node.name = "node-" + std::to_string(number);
  node.uid = "0a1b2c3d-0001-4000-8000-" + twelve_digits(number);
  node.labels = {{"kubernetes.io/hostname", node.name},
                 {"kubernetes.io/os", "linux"},
                 {"topology.kubernetes.io/zone", "zone-" + std::to_string(number % 3)}};
  node.allocatable.cpu.value = 16'000;
  node.allocatable.memory.value = std::int64_t{64} << 30;
  node.allowed_pods = 110;
  node.ready = policy::NodeReady::True;
  return node;
}

// `number` of those on that node.
inline policy::Pod pod_of(std::size_t on, std::size_t number) {
  const policy::Time began{std::chrono::seconds(1'780'000'000)};
  policy::Pod pod;
  pod.ns = "team-" + std::to_string(on % 20);
  pod.name = "web-7d9c5b6f4d-" + std::to_string(on) + "-" + std::to_string(number);
  pod.uid = "0a1b2c3d-0000-4000-8000-" + twelve_digits(on * 1'000 + number);
  pod.generation = 1;
  pod.labels = {
      {"app", "web"}, {"pod-template-hash", "7d9c5b6f4d"}, {"app.kubernetes.io/part-of", "shop"}};
  pod.controller = {.kind = "ReplicaSet",
                    .name = "web-7d9c5b6f4d",
                    .uid = "0a1b2c3d-0002-4000-8000-000000000001"};
  pod.node = "node-" + std::to_string(on);
  pod.scheduler_name = "default-scheduler";
  pod.priority = static_cast<std::int32_t>(number) * 10;
  pod.qos_in_status = policy::Qos::Burstable;
  pod.phase = policy::Phase::Running;
  pod.created = pod.started = began;
  for (const char* name : {"app", "proxy"}) {
    policy::Container container;
    container.name = name;
    container.desired.requests.cpu.value = name[0] == 'a' ? 1'400 : 100;
    container.desired.requests.memory.value = std::int64_t{256} << 20;
    container.desired.limits.memory.value = std::int64_t{512} << 20;
    container.allocated_requests = container.actual_requests = container.desired.requests;
    container.actual_limits = container.desired.limits;
    container.state = policy::RunState::Running;
    pod.containers.push_back(container);
  }
  for (const char* type : {"PodScheduled", "Initialized", "ContainersReady", "Ready"}) {
    pod.conditions.push_back({.type = type, .status = "True", .last_transition = began});
  }
  return pod;
}

}  // namespace elbowroom::bench
