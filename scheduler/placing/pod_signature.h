// Identifies pending pods with equal requirements. If no node accepts one of them, no node accepts
// another until something changes, so thousands of equal pods cost one decision.
#pragma once

#include <optional>
#include <string>

#include "policy/model/pod.h"

namespace elbowroom::scheduler {

// Equal for pods that are rejected for the same reasons. Nothing for a pod whose result depends on
// other pods beside it, or on its own nomination. `labels_matter`: some pod repels pods by their
// labels.
[[nodiscard]] std::optional<std::string> pod_signature(const policy::Pod& pod, bool labels_matter);

// Pods beside it matter to the pod's placement.
[[nodiscard]] bool looks_around(const policy::Placement& placement);

}  // namespace elbowroom::scheduler
