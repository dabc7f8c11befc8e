// Identifies pending pods with equal requirements. If no node accepts one of them, no node accepts
// another until something changes, so thousands of equal pods cost one decision.
#pragma once

#include <optional>
#include <string>

#include "policy/model/pod.h"
#include "policy/placement/cluster_room.h"

namespace elbowroom::scheduler {

// Equal for pods that are rejected for the same reasons: labels count only as far as the pod's own
// terms, its spread, or the terms of pods in the room are about them. Nothing for a pod whose
// result depends on its own nomination.
[[nodiscard]] std::optional<std::string> pod_signature(const policy::Pod& pod,
                                                       const policy::ClusterRoom& room);

// Pods beside it matter to the pod's placement.
[[nodiscard]] bool looks_around(const policy::Placement& placement);

}  // namespace elbowroom::scheduler
