// Removes what belongs to owners that are all gone: pods, and the objects of apps/v1. An owner of a
// kind that the lab does not have counts as present. Deletion never waits for dependants and never
// orphans them. Source: kubernetes pkg/controller/garbagecollector.
#pragma once

#include "lab/controllers/controller_step.h"
#include "lab/world/world.h"

namespace elbowroom::lab {

[[nodiscard]] ControllerStep step_owner_collector(World& world);

}  // namespace elbowroom::lab
