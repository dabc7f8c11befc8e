// Whether API server or runtime show an allocation of a pod that is later than the one in the
// checkpoint: a disk or snapshot that was restored holds an old checkpoint that is whole. An
// allocation is durable before anything shows it, so after a crash they may be behind the
// checkpoint; only what carries a later generation, is what the latest one wants, or runs already,
// is later.
#pragma once

#include <optional>

#include "agent/checkpoint.h"
#include "agent/observation.h"
#include "policy/model/pod.h"

namespace elbowroom::agent {

// What counts instead of `promised`, or none. It is later where the pod was given another spec
// since `promised`, and either
//   - a resize condition of a later generation stands beside another allocation, or
//   - the status shows another allocation, which is what the spec wants by now, and what runs is
//     not what was promised, as far as anything tells one from the other, or
//   - what runs is not what was promised, but what the status shows or the spec wants.
// `report`: nullptr where the runtime has no such pod. A `promised` of generation 0 is kept.
[[nodiscard]] std::optional<PodAllocation> later_allocation(const policy::Pod& seen,
                                                            const PodAllocation& promised,
                                                            const PodReport* report);

// What is known of a node's room while one pod is looked at.
struct RoomBeside {
  policy::Resources allocatable{};
  policy::Resources others{};  // what the other pods hold
  policy::Resources held{};    // what the pod itself holds, with what was promised
};

// `later`, but with no more than was promised of what it would raise above what there is. Memory
// that is requested does not run, so what runs cannot tell that all of it is still there.
[[nodiscard]] PodAllocation within_room(PodAllocation later, const PodAllocation& promised,
                                        const RoomBeside& room);

}  // namespace elbowroom::agent
