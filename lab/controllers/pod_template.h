// Pods from the template of a controller, and the hash by which templates are told apart.
#pragma once

#include <string>

#include "lab/world/json.h"
#include "lab/world/kind.h"

namespace elbowroom::lab {

// The pod that spec.template of the owner describes, controlled by it, without a name.
[[nodiscard]] Json pod_of_template(const Kind& owner_kind, const Json& owner);

// Up to 10 letters and digits that are valid in names and labels. `turn` distinguishes different
// templates that have the same hash. Source of the alphabet: apimachinery rand.SafeEncodeString.
[[nodiscard]] std::string template_hash(const Json& pod_template, int turn = 0);

}  // namespace elbowroom::lab
