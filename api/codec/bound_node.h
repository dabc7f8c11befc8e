// On which node a pod holds room, when nothing else of it can be understood. It is asked of objects
// of any kind, and of such that make no sense.
#pragma once

#include <string>

#include "base/document.h"

namespace elbowroom::api {

// Whether its phase says so.
[[nodiscard]] bool has_finished(const Value& pod);

// spec.nodeName; """" where it is missing, is no text or too long for a name, and of a pod that has
// finished, as far as its phase says so.
[[nodiscard]] std::string bound_node(const Value& object);

}  // namespace elbowroom::api
