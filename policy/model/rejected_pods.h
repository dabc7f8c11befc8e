// Pods that are bound to a node which can never run them, and of which no container has started. A
// kubelet rejects such a pod at admission, so it holds no room there for resizes. Otherwise any
// user who may set a pod's node could block all growth on that node.
#pragma once

#include <optional>
#include <string>

#include "policy/model/node.h"
#include "policy/model/pod.h"

namespace elbowroom::policy {

// No container of the pod has a status, and nothing is allocated to it or actual.
[[nodiscard]] bool has_not_begun(const Pod& pod);

// The first resource in which a pod that has not begun requests more, on its own, than the node
// has: cpu, memory, and those of ephemeral-storage and hugepages-* that the node reports. None: the
// pod may start, or has started.
[[nodiscard]] std::optional<std::string> never_fits(const Node& node, const Pod& pod);

}  // namespace elbowroom::policy
