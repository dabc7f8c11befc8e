// Keeps the status of each PodDisruptionBudget: how many covered pods are healthy, how many must
// be, how many more may be evicted, and which evictions are still under way. Source: kubernetes
// pkg/controller/disruption.
#pragma once

#include "lab/controllers/controller_step.h"
#include "lab/world/world.h"
#include "policy/model/time.h"

namespace elbowroom::lab {

// Makes at most one write for each budget. An eviction under way is forgotten once the pod
// terminates or is gone, and 2 minutes after it at the latest.
[[nodiscard]] ControllerStep step_disruption(World& world, policy::Time now);

}  // namespace elbowroom::lab
