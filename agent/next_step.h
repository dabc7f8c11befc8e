// The next step towards a pod's allocation. It is computed again after every step from the
// runtime's report, so a completed step is never repeated, and a crash between two steps changes
// nothing.
#pragma once

#include <optional>

#include "agent/checkpoint/checkpoint.h"
#include "agent/effect.h"
#include "agent/observation.h"
#include "policy/model/pod.h"

namespace elbowroom::agent {

// None: everything is as allocated, or cannot be known yet. `view` is the pod by view_of().
[[nodiscard]] std::optional<Actuate> next_step(const policy::Pod& view,
                                               const PodAllocation& allocation,
                                               const PodReport& report, bool manage_pod_cgroups,
                                               std::optional<cri::WeightMap> weights = {});

// The map by which the pod's cgroup got its weight, for a pod with that allocation: what was read
// fits the allocation, or what the API shows as actual, by one of the maps only. None: not known.
[[nodiscard]] std::optional<cri::WeightMap> shown_weight_map(const policy::Pod& seen,
                                                             const PodAllocation& allocation,
                                                             const PodReport& report);

// Returns true if a running container's size has not been read yet. Then it cannot be compared.
[[nodiscard]] bool is_unread(const PodReport& report);

// Returns true if every running container reports its allocation.
[[nodiscard]] bool is_settled(const policy::Pod& view, const PodAllocation& allocation,
                              const PodReport& report);

}  // namespace elbowroom::agent
