// The API server's rules for the kinds of apps/v1 (Deployment, ReplicaSet, StatefulSet, DaemonSet):
// defaults, and the refusal of what no controller can follow. The daemons' own decoder validates
// the template, so every pod that a controller makes of it can be read. Source: kubernetes
// pkg/apis/apps/v1/defaults.go, pkg/apis/apps/validation/validation.go.
#pragma once

#include <optional>

#include "lab/apiserver/api_error.h"
#include "lab/world/json.h"
#include "lab/world/kind.h"

namespace elbowroom::lab {

[[nodiscard]] bool is_app(const Kind& kind);

// Fills in replicas, strategy, limits and what any pod's spec gets. Values of another type stay.
void default_app(const Kind& kind, Json& object);

// The object with its defaults. 422: no selector, an empty one, or one that does not match the
// template's labels; negative numbers; maxSurge and maxUnavailable both 0; a template that makes no
// valid pod, or one that does not restart.
[[nodiscard]] Answer<Json> admitted_app(const Kind& kind, Json object);

// 422 as above, and for another selector.
[[nodiscard]] std::optional<ApiError> refuse_app_update(const Kind& kind, const Json& before,
                                                        const Json& after);

}  // namespace elbowroom::lab
