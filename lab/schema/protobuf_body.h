// Decodes bodies in Kubernetes' protobuf, which kubectl writes for its own create commands, drain
// and auth. It knows only what those commands send and ignores the rest of a message.
// lab/schema/protobuf_list.h encodes lists.
#pragma once

#include <string_view>

#include "base/result.h"
#include "lab/world/json.h"

namespace elbowroom::lab {

inline constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";

// The object in JSON form. Invalid: no envelope, an unknown kind, malformed bytes.
[[nodiscard]] Result<Json> decode_protobuf(std::string_view body);

}  // namespace elbowroom::lab
