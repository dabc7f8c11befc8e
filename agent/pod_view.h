// A pod with the agent's own figures: allocated from what is durable, actual from what the runtime
// and the cgroups report. Actual equals allocated if the *converted* value is read back, because
// shares and quotas are coarser than millicores.
#pragma once

#include <optional>

#include "agent/checkpoint/checkpoint.h"
#include "agent/observation.h"
#include "policy/model/pod.h"

namespace elbowroom::agent {

// Compares all named amounts; a missing one is zero.
[[nodiscard]] bool equal_amounts(const policy::Resources& a, const policy::Resources& b);

// The group shows its request as a weight only, and by which map is not known.
[[nodiscard]] bool is_unclear_weight(const cri::RuntimeResources& group,
                                     std::optional<cri::WeightMap> weights);

// The size of the pod's own cgroup, with the allocated figure wherever it matches what was read. An
// unclear weight may be anything, the kernel's default too: one that is large enough by the map
// that gives less counts as that of the allocated request, so that it is not lowered.
[[nodiscard]] policy::Requirements group_size(const policy::Requirements& allocated,
                                              const cri::RuntimeResources& group,
                                              std::optional<cri::WeightMap> weights);

// Returns `seen` with the figures applied. nullptr: not known, the API's figure is used. `weights`
// is the map by which the weights of the node's pod cgroups were written, if it is known.
[[nodiscard]] policy::Pod view_of(const policy::Pod& seen, const PodAllocation* allocation,
                                  const PodReport* report,
                                  std::optional<cri::WeightMap> weights = {});

// Returns the memory request that a running container keeps until it is restarted: the one it was
// created with. None: it can change without a restart, or is not known.
[[nodiscard]] std::optional<policy::Bytes> restart_memory_request(
    const policy::Container& container, const ContainerReport& report);

// Returns what a pod without an entry was promised: status.allocatedResources, otherwise
// status.resources, never what it desires; nothing for what requests nothing and shows neither.
// None while another container shows neither.
// Its generation is the pod's if it equals what the pod desires now, otherwise the one before,
// which is the latest possible one.
[[nodiscard]] std::optional<PodAllocation> adopt(const policy::Pod& seen);

// Returns what the pod desires, as an allocation.
[[nodiscard]] PodAllocation desired_allocation(const policy::Pod& pod);

}  // namespace elbowroom::agent
