// Keeps as many pods of each ReplicaSet as it asks for. It adopts no pods. A pod that finished or
// terminates does not count, so its replacement comes at once. Source: kubernetes
// pkg/controller/replicaset.
#pragma once

#include "lab/controllers/controller_step.h"
#include "lab/world/world.h"
#include "policy/model/time.h"

namespace elbowroom::lab {

// Creates or deletes at most 500 pods of each set, then writes the set's status.
[[nodiscard]] ControllerStep step_replica_sets(World& world, policy::Time now);

}  // namespace elbowroom::lab
