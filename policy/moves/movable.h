// Which pods may be moved at all, whatever a move would gain: those that come up elsewhere by
// themselves, and that nothing else is about to change.
#pragma once

#include <string_view>

#include "policy/model/node.h"
#include "policy/model/pod.h"

namespace elbowroom::policy {

// Why the pod is not moved, in words; "": it may be.
[[nodiscard]] std::string_view why_not_moved(const Pod& pod);

// Whether pods may leave the node and come to it: it is schedulable, and does not say that it is
// not Ready.
[[nodiscard]] bool takes_part(const Node& node);

}  // namespace elbowroom::policy
