// Keeps one ReplicaSet for each template of a Deployment and moves the replicas to the newest: by
// maxSurge and maxUnavailable, or all at once when the strategy is Recreate. Not here: proportional
// scaling in mid-rollout and the progress deadline. Source: kubernetes pkg/controller/deployment.
#pragma once

#include "lab/controllers/controller_step.h"
#include "lab/world/world.h"
#include "policy/model/time.h"

namespace elbowroom::lab {

// Makes at most one write for each Deployment. Expects that the ReplicaSets' statuses are current.
[[nodiscard]] ControllerStep step_deployments(World& world, policy::Time now);

}  // namespace elbowroom::lab
