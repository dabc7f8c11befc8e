// What a pod was promised, what it has and what its conditions say, read once more and without the
// agent's code, for those who judge the agent.
#pragma once

#include <optional>

#include "agent/checkpoint/checkpoint.h"
#include "agent/observation.h"
#include "policy/model/pod.h"

namespace elbowroom::test {

// What the pod's status shows as allocated; otherwise what it shows as actual. Nothing where it
// shows neither for one of the containers. The generation is not set.
[[nodiscard]] std::optional<agent::PodAllocation> shown_allocation(const policy::Pod& pod);

// What the pod's spec asks for. The generation is not set.
[[nodiscard]] agent::PodAllocation wanted_allocation(const policy::Pod& pod);

// The pod with what it was promised and what its runtime reports; nullptr: not known.
[[nodiscard]] policy::Pod pod_with(const policy::Pod& pod, const agent::PodAllocation* promised,
                                   const agent::PodReport* report);

// True where every container that runs has the size it was promised, as far as it was read.
[[nodiscard]] bool has_promised(const agent::PodAllocation& promised,
                                const agent::PodReport& report);

// True where the pod's own cgroup has the sum of what its containers were promised, or what the pod
// was promised itself: a limit only where each container has one. For pods without overhead whose
// init containers are small.
[[nodiscard]] bool group_has_promised(const policy::Pod& pod, const agent::PodAllocation& promised,
                                      const cri::RuntimeResources& group);

// True where another writer than an agent or kubelet has disabled preemption for the pod's resize.
// With an agent's reason the condition repeats the Node's policy, and the Node itself decides.
[[nodiscard]] bool is_disabled_by_another(const policy::Pod& pod);

// Compares what was promised, whatever its generation.
[[nodiscard]] bool same_promise(const agent::PodAllocation& a, const agent::PodAllocation& b);

}  // namespace elbowroom::test
