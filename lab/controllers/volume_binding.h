// The controllers of claims: binds claims and volumes to each other, makes the claims of ephemeral
// volumes, and, as a toy provisioner, the volumes of every class whose provisioner is not
// kubernetes.io/no-provisioner: for a claim that waits for its first consumer on its selected node,
// usable there alone. A class with the parameter "fails: NODE" has the annotation taken away there.
// Source: kubernetes pkg/controller/volume/persistentvolume/pv_controller.go.
#pragma once

#include <cstdint>

#include "lab/controllers/controller_step.h"
#include "lab/world/world.h"

namespace elbowroom::lab {

class VolumeController {
 public:
  // `world` must outlive it.
  explicit VolumeController(World& world) : world_(world) {}

  // One turn over claims and volumes. Of the pods it looks only at those that changed since the
  // last turn, and at all where a claim changed.
  [[nodiscard]] ControllerStep step();

 private:
  World& world_;
  std::uint64_t seen_ = 0;  // the version of the last change that it has seen
};

}  // namespace elbowroom::lab
