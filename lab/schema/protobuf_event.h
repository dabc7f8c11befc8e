// One event of a watch in Kubernetes' protobuf: a frame that begins with its length. The event has
// no envelope; only the object in it has one.
#pragma once

#include <string>
#include <string_view>

#include "lab/world/json.h"
#include "lab/world/kind.h"

namespace elbowroom::lab {

// Requires supports_protobuf(kind). `type`: "ADDED", "MODIFIED", "DELETED", "BOOKMARK".
[[nodiscard]] std::string protobuf_event(std::string_view type, const Kind& kind,
                                         const Json& object);

// "ERROR", with a Status as to_status() builds it.
[[nodiscard]] std::string protobuf_error_event(const Json& status);

}  // namespace elbowroom::lab
