// A label selector in one line.
#pragma once

#include <string>

#include "lab/world/json.h"

namespace elbowroom::lab {

// spec.selector of the object, as kubectl writes it: "a=b,c in (d,e),!f".
[[nodiscard]] std::string selector_text(const Json& object);

}  // namespace elbowroom::lab
