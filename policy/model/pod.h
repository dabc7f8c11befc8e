// A pod as decisions see it: its desired, allocated and actual resources, and what is needed to
// order, charge and reprieve it. This is a validated value: the code that builds one (api/, agent/,
// tests) has checked every bound.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/condition.h"
#include "policy/model/placement.h"
#include "policy/model/pod_group.h"
#include "policy/model/preemption_policy.h"
#include "policy/model/resources.h"
#include "policy/model/time.h"

namespace elbowroom::policy {

enum class Qos { Guaranteed, Burstable, BestEffort };
enum class Phase { Pending, Running, Succeeded, Failed, Unknown };
enum class ContainerKind {
  Regular,
  Sidecar,
  Init
};  // Sidecar: init container, restartPolicy Always
enum class ResizePolicy { NotRequired, RestartContainer };
enum class RunState { None, Waiting, Running, Terminated };  // None: no container status

struct Requirements {
  Resources requests{};
  Resources limits{};  // zero: no limit

  friend bool operator==(const Requirements&, const Requirements&) = default;
};

struct Container {
  std::string name{};
  ContainerKind kind = ContainerKind::Regular;
  Requirements desired{};                         // spec.resources
  std::optional<Resources> allocated_requests{};  // status.allocatedResources
  std::optional<Resources>
      allocated_limits;  // from the agent's checkpoint; the API has no such field
  std::optional<Resources> actual_requests{};  // status.resources.requests
  std::optional<Resources> actual_limits{};    // status.resources.limits
  ResizePolicy cpu_resize = ResizePolicy::NotRequired;
  ResizePolicy memory_resize = ResizePolicy::NotRequired;
  RunState state = RunState::None;
  // Whether its memory may be swapped out, before and after the resize. Only an agent knows; false
  // elsewhere.
  bool swaps = false;
  bool would_swap = false;

  friend bool operator==(const Container&, const Container&) = default;
};

// Pod-level resources: spec.resources, status.allocatedResources, status.resources.
struct PodLevel {
  Requirements desired{};  // zero amounts: not set at pod level
  std::optional<Resources> allocated_requests{};
  std::optional<Resources> allocated_limits{};  // from the agent's checkpoint
  std::optional<Resources> actual_requests{};
  std::optional<Resources> actual_limits{};

  friend bool operator==(const PodLevel&, const PodLevel&) = default;
};

// Node-allocatable resources that a ResourceClaim of the pod takes on its node, of its entry in
// status.nodeAllocatableResourceClaimStatuses (KEP-5517): what the claim maps, for which a node is
// charged once however many pods share it; or under the name "" what each pod takes beside it.
struct ClaimedResources {
  std::string claim{};  // name of the ResourceClaim; the namespace is the pod's
  Resources amounts{};  // cpu, memory, hugepages

  friend bool operator==(const ClaimedResources&, const ClaimedResources&) = default;
};

struct Owner {         // the controller owner reference
  std::string kind{};  // StatefulSet; one of another group has it behind: StatefulSet.kruise.io
  std::string name{};
  std::string uid{};

  friend bool operator==(const Owner&, const Owner&) = default;
};

struct Pod {
  std::string ns{};  // namespace
  std::string name{};
  std::string uid{};
  std::int64_t generation = 0;
  std::string resource_version{};  // opaque; used in preconditions, never in decisions
  std::map<std::string, std::string, std::less<>> labels{};
  std::optional<Owner> controller{};

  std::string node{};            // spec.nodeName; "" while pending
  std::string nominated_node{};  // status.nominatedNodeName
  std::string scheduler_name{};
  std::string scheduling_group{};  // spec.schedulingGroup.podGroupName; "" for none
  bool has_resource_claims = false;
  std::optional<std::int32_t> priority{};
  PreemptionPolicy preemption_policy = PreemptionPolicy::PreemptLowerPriority;
  bool is_static = false;    // annotation kubernetes.io/config.source other than "api"
  bool is_mirror = false;    // annotation kubernetes.io/config.mirror
  bool never_moves = false;  // annotation elbowroom.dev/move: never
  std::optional<Qos> qos_in_status{};

  Phase phase = Phase::Pending;
  std::optional<Time> created{};
  std::optional<Time> started{};   // status.startTime
  std::optional<Time> deletion{};  // metadata.deletionTimestamp: the deadline, grace included
  std::int64_t deletion_grace_seconds = 0;      // metadata.deletionGracePeriodSeconds
  std::int64_t termination_grace_seconds = 30;  // spec.terminationGracePeriodSeconds

  std::vector<Container>
      containers;  // in spec order: init and sidecar containers first, then regular
  PodLevel pod_level{};
  Resources overhead{};
  std::vector<ClaimedResources> claimed{};  // status.nodeAllocatableResourceClaimStatuses
  Placement placement{};
  Conditions conditions{};

  // What its pod group says in its place. None: it names no group, or the group is not known. Set
  // where the groups are known (cluster/snapshot.h, cli/input); not decoded from the pod.
  std::optional<GroupStanding> group{};

  friend bool operator==(const Pod&, const Pod&) = default;
};

// "NAMESPACE/NAME".
[[nodiscard]] std::string key_of(const Pod& pod);

// The priority that counts for the pod: its group's, else its own. Decisions ask here and never
// read Pod::priority, but for what a node decides: it knows no groups.
[[nodiscard]] inline std::int32_t priority_of(const Pod& pod) {
  return pod.group ? pod.group->priority : pod.priority.value_or(0);
}
// The pod's own, by which a node decides.
[[nodiscard]] inline std::int32_t own_priority_of(const Pod& pod) {
  return pod.priority.value_or(0);
}
[[nodiscard]] inline bool has_own_priority(const Pod& pod) { return pod.priority.has_value(); }
[[nodiscard]] inline PreemptionPolicy preemption_policy_of(const Pod& pod) {
  return pod.group ? pod.group->preemption_policy : pod.preemption_policy;
}
[[nodiscard]] inline bool is_grouped(const Pod& pod) { return !pod.scheduling_group.empty(); }
// Why the pod's group keeps it from being placed: the group does not exist, or is not supported. ""
// where nothing does.
[[nodiscard]] std::string group_obstacle(const Pod& pod);
// "NAMESPACE/NAME" of its group; "" for none.
[[nodiscard]] std::string group_key_of(const Pod& pod);
[[nodiscard]] inline bool is_terminating(const Pod& pod) { return pod.deletion.has_value(); }
[[nodiscard]] inline bool is_finished(const Pod& pod) {
  return pod.phase == Phase::Succeeded || pod.phase == Phase::Failed;
}

// status.qosClass if set; otherwise computed from the desired resources. Source: kubernetes
// pkg/apis/core/v1/helper/qos.
[[nodiscard]] Qos qos_of(const Pod& pod);

// Static, mirror, or priority >= 2,000,000,000. Source: kubelet types.IsCriticalPod.
[[nodiscard]] bool is_critical(const Pod& pod);

[[nodiscard]] std::string_view to_string(Qos qos);
[[nodiscard]] std::string_view to_string(Phase phase);

}  // namespace elbowroom::policy
