// What the API server says to a resize before any node sees it. Codes and texts are those of
// Kubernetes 1.37, except that a request above the node's allocatable is let through unless asked
// otherwise, so that a node can be seen to call it Infeasible.
#pragma once

#include <optional>

#include "lab/apiserver/api_error.h"
#include "lab/world/json.h"

namespace elbowroom::lab {

// The pod with the resource fields of `wanted` and nothing else of it; images, labels and the rest
// are passed over in silence, as upstream does. 422: a mirror pod; containers added, removed or
// renamed; a resource other than cpu and memory changed; a request or limit removed; negative or
// malformed amounts; a request above its limit; containers that ask for more than their pod has;
// another QoS class.
[[nodiscard]] Answer<Json> resized_pod(const Json& live, const Json& wanted);

// 403 where the pod's own resources change and its node does not declare that it can do that
// (status.declaredFeatures); a node that is not there (nullptr) is not judged here.
[[nodiscard]] std::optional<ApiError> refuse_features(const Json& live, const Json& resized,
                                                      const Json* node);

// 403 where the resized pod alone is larger than the allocatable of its node (`node` is nullptr
// where there is no such Node object), as API servers do since 1.36.
[[nodiscard]] std::optional<ApiError> refuse_capacity(const Json& resized, const Json* node);

}  // namespace elbowroom::lab
