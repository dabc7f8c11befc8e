// A node's taints, and the pods that should avoid it. A malformed taint is an error; a malformed
// annotation is not.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/field.h"
#include "base/result.h"
#include "policy/model/node.h"
#include "policy/model/placement.h"
#include "policy/model/time.h"

namespace elbowroom::api {

inline constexpr std::string_view kPreferAvoidPods =
    "scheduler.alpha.kubernetes.io/preferAvoidPods";

// The member "effect". Invalid: not one of the three effects.
[[nodiscard]] Result<policy::TaintEffect> decode_taint_effect(const Field& at);

// spec.taints. Invalid: no key, an unknown effect.
[[nodiscard]] Result<std::vector<policy::Taint>> decode_taints(const Field& spec);

// The controllers in the annotation kPreferAvoidPods, by uid, each once: its longest entry. Of more
// than 64 entries the first 64. Malformed JSON gives none.
[[nodiscard]] std::vector<policy::AvoidedController> avoided_controllers(
    std::string_view annotation);

// "(until T)" at the end of an entry's message, T as RFC 3339. None: it says no such thing.
[[nodiscard]] std::optional<policy::Time> avoided_until(std::string_view message);

}  // namespace elbowroom::api
