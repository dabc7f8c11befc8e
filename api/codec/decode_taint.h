// What speaks against a node: its taints, and the pods it had better not get. A taint must be
// sound, the annotation need not be.
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

// The member "effect". Invalid: none of the three.
[[nodiscard]] Result<policy::TaintEffect> decode_taint_effect(const Field& at);

// spec.taints. Invalid: no key, an unknown effect.
[[nodiscard]] Result<std::vector<policy::Taint>> decode_taints(const Field& spec);

// The uids of the controllers in the annotation kPreferAvoidPods, sorted, each once; of more than
// 64 entries the first 64. JSON that is broken names none.
[[nodiscard]] std::vector<std::string> avoided_controllers(std::string_view annotation);

}  // namespace elbowroom::api
