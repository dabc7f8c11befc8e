// Detects an allocation in the API server or the runtime that is later than the checkpoint's. A
// restored disk or snapshot holds an old checkpoint that is intact. An allocation is durable before
// it is visible elsewhere, so after a crash the others may be behind the checkpoint. An allocation
// is later only if it has a later generation, is what the latest spec wants, or is running already.
#pragma once

#include <optional>

#include "agent/checkpoint/checkpoint.h"
#include "agent/observation.h"
#include "policy/model/pod.h"

namespace elbowroom::agent {

// Returns the allocation to use instead of `promised`, or none. It is later if the pod's spec has
// changed since `promised`, and either
//   - a resize condition of a later generation is present with another allocation, or
//   - the status shows another allocation, which is what the spec wants now, and what runs is not
//     what was promised, as far as the two can be distinguished, or
//   - what runs is not what was promised, but what the status shows or the spec wants.
// `report`: nullptr if the runtime does not have the pod. A `promised` of generation 0 is kept.
[[nodiscard]] std::optional<PodAllocation> later_allocation(const policy::Pod& seen,
                                                            const PodAllocation& promised,
                                                            const PodReport* report);

// A node's room, as seen for one pod.
struct RoomBeside {
  policy::Resources allocatable{};
  policy::Resources others{};  // what the other pods hold
  policy::Resources held{};    // what the pod itself holds, including the promised allocation
};

// Returns `later`, but each resource that would exceed both the room and what the pod holds is
// lowered to what was promised. A memory request is not visible at runtime, so the runtime cannot
// prove that all of it is still there.
[[nodiscard]] PodAllocation within_room(PodAllocation later, const PodAllocation& promised,
                                        const RoomBeside& room);

}  // namespace elbowroom::agent
