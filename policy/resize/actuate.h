// The ordered steps that bring a running pod from the sizes that the runtime last accepted to those
// it was allocated. The steps are done one by one until the first that fails, and planned anew
// after that; so every prefix of them is safe, and doing a step twice changes nothing.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "policy/model/pod.h"
#include "policy/model/resources.h"

namespace elbowroom::policy {

// What a pod's own cgroup holds. No limit: nullopt. A request of 0 is the least weight there is.
struct PodBounds {
  MilliCpu cpu_request{};
  std::optional<MilliCpu> cpu_limit{};
  std::optional<Bytes> memory_limit{};

  friend bool operator==(const PodBounds&, const PodBounds&) = default;
};

struct ContainerToActuate {
  std::string name{};
  ContainerKind kind = ContainerKind::Regular;
  Requirements actuated{};   // what the runtime last accepted
  Requirements allocated{};  // what the node promised
  ResizePolicy cpu_resize = ResizePolicy::NotRequired;
  ResizePolicy memory_resize = ResizePolicy::NotRequired;
  bool is_running = false;  // others take their allocated size at their next start

  friend bool operator==(const ContainerToActuate&, const ContainerToActuate&) = default;
};

struct PodToActuate {
  Qos qos = Qos::Burstable;
  std::vector<ContainerToActuate> containers{};  // all of them, in spec order
  Requirements pod_level_actuated{};             // zero amounts: not set at pod level
  Requirements pod_level_allocated{};
  Resources overhead{};
  // What the pod's cgroup holds now, as far as it was read; else it holds what `actuated` gives.
  // Without it a pod whose containers are done is never brought down after a crash.
  std::optional<PodBounds> cgroup{};
  bool manages_pod_cgroup = true;  // false: no step touches the pod's own cgroup

  friend bool operator==(const PodToActuate&, const PodToActuate&) = default;
};

// Before anything is done: the pod ("") or the container must use less than `limit`, else the
// whole plan waits. Source: kubelet kuberuntime_manager.go validateMemoryResizeAction (1.34).
struct CheckMemory {
  std::string container{};
  Bytes limit{};

  friend bool operator==(const CheckMemory&, const CheckMemory&) = default;
};

enum class PodSetting { MemoryLimit, CpuLimit, CpuRequest };

// Writes one figure of `bounds` into the pod's cgroup.
struct SetPod {
  PodSetting setting = PodSetting::MemoryLimit;
  PodBounds bounds{};

  friend bool operator==(const SetPod&, const SetPod&) = default;
};

// One call to the runtime. It carries cpu and memory: a memory call the cpu as it is, a cpu call
// the memory as it is by then. `before` tells which limits are there to be taken away.
struct UpdateContainer {
  std::string name{};
  Requirements before{};
  Requirements after{};

  friend bool operator==(const UpdateContainer&, const UpdateContainer&) = default;
};

// Stops the container, so that whoever runs the pod starts it again with its allocated size.
struct RestartContainer {
  std::string name{};

  friend bool operator==(const RestartContainer&, const RestartContainer&) = default;
};

using ActuationStep = std::variant<CheckMemory, SetPod, UpdateContainer, RestartContainer>;

// What the pod's cgroup holds for the actuated and for the allocated sizes: Guaranteed all three;
// Burstable a limit only where every container has one, or the pod level; BestEffort none.
// Source: kubelet cm/helpers_linux.go ResourceConfigForPod.
[[nodiscard]] PodBounds actuated_bounds(const PodToActuate& pod);
[[nodiscard]] PodBounds allocated_bounds(const PodToActuate& pod);

// The steps; none where all is as allocated. Memory before cpu, and for each of them: pod limit up,
// pod request up, containers (those that shrink first, else in spec order), pod request down, pod
// limit down. Where a container has to restart, everything of the pod that grows grows before,
// because the container may come back at any moment. A resource whose change asks for a restart
// takes the container's other resource along. Differs from upstream in two points: a pod limit that
// is gone is taken away, and restarts come after the pod has grown.
// Source: kubelet kuberuntime_manager.go doPodResizeAction, computePodResizeAction.
[[nodiscard]] std::vector<ActuationStep> plan_actuation(const PodToActuate& pod);

// "pod memory limit 1073741824", "container app: cpu 500/1000, memory 1073741824", ...: for people.
[[nodiscard]] std::string describe(const ActuationStep& step);

}  // namespace elbowroom::policy
