// Validates that a JSON tree has the shape of an API object. After this check metadata is a mapping
// with a valid name, and spec and status are mappings or absent.
#pragma once

#include <optional>

#include "lab/apiserver/api_error.h"
#include "lab/world/json.h"
#include "lab/world/kind.h"

namespace elbowroom::lab {

// 400: not a mapping, another kind, or metadata, spec or status of another type. 422: a bad name,
// labels or annotations that are not text, conditions without a type or with a bad one.
[[nodiscard]] std::optional<ApiError> validate_object(const Kind& kind, Json& object);

// 422 for a Node whose podPreemptionPolicy the API server would refuse. Like the API server, it
// removes an empty list from the policy.
[[nodiscard]] std::optional<ApiError> refuse_preemption_policy(const Kind& kind, Json& node);

}  // namespace elbowroom::lab
