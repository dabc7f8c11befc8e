// Objects are stored in one form and read in the one that a request names: events in that of their
// API group, pod groups and workloads in their version.
#pragma once

#include "lab/world/kind.h"
#include "lab/world/object.h"

namespace elbowroom::lab {

// A stored object in the form that a reader of that kind gets.
[[nodiscard]] Object shown(const Kind& kind, const Object& object);

// The answer in the version that a request names; a Status stays as it is.
[[nodiscard]] Answer<Object> in_version(const Kind& kind, Answer<Object> answer);

}  // namespace elbowroom::lab
