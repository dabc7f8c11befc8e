// The controllers of claims: binds claims and volumes to each other, makes the claims of ephemeral
// volumes, and, as a toy provisioner, the volumes of every class whose provisioner is not
// kubernetes.io/no-provisioner: for a claim that waits for its first consumer on its selected node,
// usable there alone. A class with the parameter "fails: NODE" has the annotation taken away there.
// Source: kubernetes pkg/controller/volume/persistentvolume/pv_controller.go.
#pragma once

#include "lab/controllers/controller_step.h"
#include "lab/world/world.h"

namespace elbowroom::lab {

[[nodiscard]] ControllerStep step_volumes(World& world);

}  // namespace elbowroom::lab
