// A node's taints. A malformed taint is an error.
#pragma once

#include <vector>

#include "api/codec/field.h"
#include "base/result.h"
#include "policy/model/placement.h"

namespace elbowroom::api {

// The member "effect". Invalid: not one of the three effects.
[[nodiscard]] Result<policy::TaintEffect> decode_taint_effect(const Field& at);

// spec.taints. Invalid: no key, an unknown effect.
[[nodiscard]] Result<std::vector<policy::Taint>> decode_taints(const Field& spec);

}  // namespace elbowroom::api
