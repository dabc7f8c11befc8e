// Keeps one pod of each DaemonSet on each node that is schedulable and that the template's
// nodeSelector selects, bound by spec.nodeName. A pod stays on a node that is cordoned later. Not
// here: node affinity, taints and maxSurge. Source: kubernetes pkg/controller/daemon.
#pragma once

#include "lab/controllers/controller_step.h"
#include "lab/world/world.h"
#include "policy/model/time.h"

namespace elbowroom::lab {

// Makes the writes for pods that are due, then writes each set's status.
[[nodiscard]] ControllerStep step_daemon_sets(World& world, policy::Time now);

}  // namespace elbowroom::lab
