// A node's taints, and the pods that should avoid it. A malformed taint is an error; a malformed
// annotation is not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/codec/field.h"
#include "base/result.h"
#include "policy/model/placement.h"

namespace elbowroom::api {

inline constexpr std::string_view kPreferAvoidPods =
    "scheduler.alpha.kubernetes.io/preferAvoidPods";

// The member "effect". Invalid: not one of the three effects.
[[nodiscard]] Result<policy::TaintEffect> decode_taint_effect(const Field& at);

// spec.taints. Invalid: no key, an unknown effect.
[[nodiscard]] Result<std::vector<policy::Taint>> decode_taints(const Field& spec);

// The uids of the controllers in the annotation kPreferAvoidPods, sorted, each once; of more than
// 64 entries the first 64. Malformed JSON gives none.
[[nodiscard]] std::vector<std::string> avoided_controllers(std::string_view annotation);

}  // namespace elbowroom::api
