// Validates a resize at the API server, before any node sees it. Codes and texts are those of
// Kubernetes 1.37, except that a request above the node's allocatable is let through by default, so
// that a node can mark it Infeasible.
#pragma once

#include <optional>

#include "lab/apiserver/api_error.h"
#include "lab/world/json.h"

namespace elbowroom::lab {

// Returns the pod with only the resource fields of `wanted`; images, labels and other fields are
// ignored without an error, as upstream does. 422: a mirror pod; containers added, removed or
// renamed; a resource other than cpu and memory changed; a request or limit removed; negative or
// malformed amounts; a request above its limit; containers that request more than their pod has;
// another QoS class.
[[nodiscard]] Answer<Json> resized_pod(const Json& live, const Json& wanted);

// 403 when the pod-level resources change and the node does not declare that feature
// (status.declaredFeatures). A node that does not exist (nullptr) is not checked here.
[[nodiscard]] std::optional<ApiError> refuse_features(const Json& live, const Json& resized,
                                                      const Json* node);

// 403 when the resized pod alone exceeds the allocatable of its node, as API servers do since 1.36.
// `node` is nullptr when there is no such Node object.
[[nodiscard]] std::optional<ApiError> refuse_capacity(const Json& resized, const Json* node);

}  // namespace elbowroom::lab
