// What a move was worth, once the pod's successor has come up: on the policy's own scale, so that
// it compares with what was promised.
#pragma once

#include <cstdint>
#include <string>

#include "policy/model/pod.h"
#include "policy/moves/move_plan.h"
#include "policy/moves/node_load.h"
#include "policy/placement/cluster_room.h"

namespace elbowroom::policy {

// `successor`: bound, and in the room; `before`: the node that was left, with the pod on it. At
// most 100; below zero where the move did harm. Not const: see schedule().
[[nodiscard]] std::int64_t achieved_gain(ClusterRoom& room, const Move& move, const Pod& successor,
                                         const NodeLoad& before, Time now);

}  // namespace elbowroom::policy
