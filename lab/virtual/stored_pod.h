// The pods of a world as values. A stored pod was decoded when it was written, so readers without
// an API server in between do not decode it again.
#pragma once

#include "base/result.h"
#include "lab/world/object.h"
#include "lab/world/world.h"
#include "policy/model/pod.h"

namespace elbowroom::lab {

// The pod as it is stored; `pod` is its tree in the same world.
[[nodiscard]] const Object& stored_pod(const World& world, const Json& pod);

// As api::decode_cluster_pod reads it.
[[nodiscard]] Result<policy::Pod> cluster_pod(const Object& object);

// As api::decode_placed_pod reads it: without its placement terms.
[[nodiscard]] Result<policy::Pod> placed_pod(const Object& object);

}  // namespace elbowroom::lab
