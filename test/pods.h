// Pods and nodes for tests, in one line each. A pod made here runs, has one container "app" and its
// desired size is allocated; each test changes only what it tests.
#pragma once

#include <cstdint>
#include <string>

#include "policy/model/node.h"
#include "policy/model/pod.h"

namespace elbowroom::test {

inline constexpr std::int64_t kMi = std::int64_t{1} << 20;
inline constexpr std::int64_t kGi = std::int64_t{1} << 30;

inline policy::Resources amounts(std::int64_t cpu_m, std::int64_t memory = 0) {
  policy::Resources of;
  of.cpu.value = cpu_m;
  of.memory.value = memory;
  return of;
}

inline policy::Node node(std::int64_t cpu_m, std::int64_t memory = 64 * kGi,
                         const std::string& name = "node-1") {
  policy::Node made;
  made.name = name;
  made.uid = "uid-" + name;
  made.allocatable = amounts(cpu_m, memory);
  made.allowed_pods = 110;
  made.ready = policy::NodeReady::True;
  return made;
}

inline policy::Pod running_pod(const std::string& name, std::int64_t cpu_m, std::int64_t memory = 0,
                               std::int32_t priority = 0) {
  policy::Pod made;
  made.ns = "default";
  made.name = name;
  made.uid = "uid-" + name;
  made.generation = 1;
  made.node = "node-1";
  made.phase = policy::Phase::Running;
  made.priority = priority;
  policy::Container app;
  app.name = "app";
  app.desired.requests = amounts(cpu_m, memory);
  app.allocated_requests = app.actual_requests = app.desired.requests;
  app.actual_limits = policy::Resources{};
  app.state = policy::RunState::Running;
  made.containers.push_back(app);
  return made;
}

// The same pod with another desired size and a new generation, as the API does.
inline policy::Pod resized(policy::Pod pod, std::int64_t cpu_m, std::int64_t memory = 0) {
  pod.containers[0].desired.requests = amounts(cpu_m, memory);
  ++pod.generation;
  return pod;
}

}  // namespace elbowroom::test
