// A pod with the figures the agent answers for: allocated from what is durable, actual from what
// the runtime and the cgroups report. Actual equals allocated when the *converted* value is what is
// read back, because shares and quotas are coarser than millicores.
#pragma once

#include <optional>

#include "agent/checkpoint.h"
#include "agent/observation.h"
#include "policy/model/pod.h"

namespace elbowroom::agent {

// Whatever of them is named: what is not there is zero.
[[nodiscard]] bool equal_amounts(const policy::Resources& a, const policy::Resources& b);

// `seen` with the figures laid over it. nullptr: not known, then the API's word stands.
[[nodiscard]] policy::Pod view_of(const policy::Pod& seen, const PodAllocation* allocation,
                                  const PodReport* report);

// What a pod without an entry was promised: status.allocatedResources, else status.resources, never
// what it desires. None while the status says neither for some container. Its generation is the
// pod's where that is what it desires by now, else the one before, which is the latest it can be.
[[nodiscard]] std::optional<PodAllocation> adopt(const policy::Pod& seen);

// What the pod desires, as an allocation.
[[nodiscard]] PodAllocation desired_allocation(const policy::Pod& pod);

}  // namespace elbowroom::agent
