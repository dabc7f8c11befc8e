// Whether terms about nodes match one node, for terms that are looked at on few nodes. For all
// nodes see node_affinity.h.
#pragma once

#include <vector>

#include "policy/model/node.h"
#include "policy/model/placement.h"

namespace elbowroom::policy {

// True if one of the terms matches. Source: component-helpers scheduling/corev1/nodeaffinity.
[[nodiscard]] bool matches_any(const std::vector<NodeTerm>& terms, const Node& node);

}  // namespace elbowroom::policy
