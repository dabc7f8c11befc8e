// Pods that were bound to a node which can never take them, and that nothing has begun of. A
// kubelet refuses such a pod at its door, so for resizes it holds no room there; otherwise whoever
// may name a node in a pod could stop everybody else's growth on it.
#pragma once

#include <optional>
#include <string>

#include "policy/model/node.h"
#include "policy/model/pod.h"

namespace elbowroom::policy {

// No container of it has a status, and nothing was promised or given to it.
[[nodiscard]] bool has_not_begun(const Pod& pod);

// The first resource of a pod that has not begun in which it alone asks for more than the node has:
// cpu, memory, and of ephemeral-storage and hugepages-* what the node says it has any of. Nothing:
// it may begin, or has.
[[nodiscard]] std::optional<std::string> never_fits(const Node& node, const Pod& pod);

}  // namespace elbowroom::policy
