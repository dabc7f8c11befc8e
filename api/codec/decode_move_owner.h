// Deployments, ReplicaSets and StatefulSets as far as moves go: to what they belong, and whether
// they are at rest. Source: kubernetes apps/v1; kubectl pkg/polymorphichelpers/rollout_status.go.
#pragma once

#include <string_view>

#include "api/codec/field.h"
#include "base/document.h"
#include "base/result.h"
#include "policy/moves/move_owner.h"

namespace elbowroom::api {

// `kind`: Deployment, ReplicaSet or StatefulSet; a list's items do not say it. Invalid, with the
// field: no name, or a value of a wrong type.
[[nodiscard]] Result<policy::MoveOwner> decode_move_owner(const Value& object,
                                                          std::string_view kind,
                                                          Source source = Source::Server);

}  // namespace elbowroom::api
