// The rescheduler's policies, as the text of key config.yaml in its ConfigMap has them:
// ReschedulerConfiguration of elbowroom.dev/v1alpha1.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "policy/moves/move_policies.h"

namespace elbowroom::api {

inline constexpr std::string_view kMovePoliciesNamespace = "kube-system";
inline constexpr std::string_view kMovePoliciesName = "elbowroom-rescheduler";
inline constexpr std::string_view kMovePoliciesKey = "config.yaml";

// Keys that are left out have their defaults. Invalid, with the key and the line: a key that is not
// known, a value of another type or out of its range, a threshold above its target.
[[nodiscard]] Result<policy::MovePolicies> decode_move_policies(std::string_view text);

}  // namespace elbowroom::api
