// The ordered steps that bring a running pod from its actuated size to its allocated size. The
// steps run one by one until the first failure, and are then planned again. Every prefix of them is
// safe, and each step is idempotent.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "policy/model/pod.h"
#include "policy/model/resources.h"

namespace elbowroom::policy {

// The figures of a pod's own cgroup. No limit: nullopt. A request of 0 is the minimum weight.
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
  Requirements allocated{};  // what the node admitted
  ResizePolicy cpu_resize = ResizePolicy::NotRequired;
  ResizePolicy memory_resize = ResizePolicy::NotRequired;
  bool is_running = false;  // other containers get their allocated size at their next start

  friend bool operator==(const ContainerToActuate&, const ContainerToActuate&) = default;
};

struct PodToActuate {
  Qos qos = Qos::Burstable;
  std::vector<ContainerToActuate> containers{};  // all of them, in spec order
  Requirements pod_level_actuated{};             // zero amounts: not set at pod level
  Requirements pod_level_allocated{};
  Resources overhead{};
  // What the pod's cgroup holds now, as far as it was read; otherwise what `actuated` implies.
  // Without it, a pod whose containers are done would never have its cgroup lowered after a crash.
  std::optional<PodBounds> cgroup{};
  bool manages_pod_cgroup = true;  // false: no step touches the pod's own cgroup

  friend bool operator==(const PodToActuate&, const PodToActuate&) = default;
};

// Checked before anything is done: the pod ("") or the container must use less than `limit`, or the
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

// One call to the runtime. It carries cpu and memory: a memory call carries the unchanged cpu, a
// cpu call the memory set by the preceding steps. `before` shows which limits exist and can be
// removed.
struct UpdateContainer {
  std::string name{};
  Requirements before{};
  Requirements after{};

  friend bool operator==(const UpdateContainer&, const UpdateContainer&) = default;
};

// Stops the container. The program that runs the pod then starts it with its allocated size.
struct RestartContainer {
  std::string name{};

  friend bool operator==(const RestartContainer&, const RestartContainer&) = default;
};

using ActuationStep = std::variant<CheckMemory, SetPod, UpdateContainer, RestartContainer>;

// The figures of the pod's cgroup for the actuated and for the allocated sizes. Guaranteed has all
// three; Burstable has a limit only where every container has one, or the pod level; BestEffort has
// none. Source: kubelet cm/helpers_linux.go ResourceConfigForPod.
[[nodiscard]] PodBounds actuated_bounds(const PodToActuate& pod);
[[nodiscard]] PodBounds allocated_bounds(const PodToActuate& pod);

// The steps; none where everything is as allocated. Memory comes before cpu. For each of them: pod
// limit up, pod request up, containers (those that shrink first, otherwise in spec order), pod
// request down, pod limit down. Where a container must restart, everything of the pod that grows
// grows first, because the container may start again at any moment. A resource whose change
// requires a restart includes the container's other resource. Differs from upstream in two points:
// a removed pod limit is removed from the cgroup, and restarts come after the pod has grown.
// Source: kubelet kuberuntime_manager.go doPodResizeAction, computePodResizeAction.
[[nodiscard]] std::vector<ActuationStep> plan_actuation(const PodToActuate& pod);

// "pod memory limit 1073741824", "container app: cpu 500/1000, memory 1073741824", ...: for people.
[[nodiscard]] std::string describe(const ActuationStep& step);

}  // namespace elbowroom::policy
