// The subresource `scale` of Deployments, ReplicaSets and StatefulSets: how many pods are wanted,
// and how many there are, as an object of autoscaling/v1.
#pragma once

#include "lab/apiserver/api_error.h"
#include "lab/world/json.h"
#include "lab/world/kind.h"

namespace elbowroom::lab {

[[nodiscard]] bool has_scale(const Kind& kind);

// The object's Scale.
[[nodiscard]] Json scale_of(const Json& object);

// The merge patch of the object that makes its Scale the given one; what else a Scale says is not
// written. 422: spec.replicas is missing or below zero, or the name is another one.
[[nodiscard]] Answer<Json> patch_to_scale(const Json& object, const Json& scale);

}  // namespace elbowroom::lab
