// The node on which a pod holds room, when nothing else of the pod is readable. It accepts objects
// of any kind, even malformed ones.
#pragma once

#include <string>

#include "base/document.h"

namespace elbowroom::api {

// Whether its phase is Succeeded or Failed.
[[nodiscard]] bool has_finished(const Value& pod);

// spec.nodeName; "" if it is missing, not a string or too long for a name, and for a pod whose
// phase says that it has finished.
[[nodiscard]] std::string bound_node(const Value& object);

}  // namespace elbowroom::api
