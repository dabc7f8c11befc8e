// Keeps the pods NAME-0, NAME-1, ... of each StatefulSet: in order, or all at once when
// podManagementPolicy is Parallel. A pod that is gone comes back under its name with another uid.
// Not here: ControllerRevisions, so a pod below the partition that is lost comes back with the new
// template, and claims of volumeClaimTemplates. Source: kubernetes pkg/controller/statefulset.
#pragma once

#include "lab/controllers/controller_step.h"
#include "lab/world/world.h"
#include "policy/model/time.h"

namespace elbowroom::lab {

// Makes the writes for pods that are due, then writes each set's status.
[[nodiscard]] ControllerStep step_stateful_sets(World& world, policy::Time now);

}  // namespace elbowroom::lab
