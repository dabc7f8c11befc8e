// Bodies in Kubernetes' protobuf, which kubectl writes for its own create commands, drain and auth.
// Only what those commands send is known here; the rest of a message is passed over. Lists go out
// in protobuf by lab/schema/protobuf_list.h.
#pragma once

#include <string_view>

#include "base/result.h"
#include "lab/world/json.h"

namespace elbowroom::lab {

inline constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";

// The object in JSON form. Invalid: no envelope, a kind that is not known here, broken bytes.
[[nodiscard]] Result<Json> decode_protobuf(std::string_view body);

}  // namespace elbowroom::lab
