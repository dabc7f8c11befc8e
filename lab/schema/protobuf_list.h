// A list of objects in Kubernetes' protobuf, for clients that ask for it. A list is encoded whole
// or not at all: if an object has a field without a known number, the list is sent as JSON, which
// every such client must accept.
#pragma once

#include <optional>
#include <string>

#include "lab/apiserver/api_request.h"
#include "lab/world/json.h"
#include "lab/world/kind.h"

namespace elbowroom::lab {

// True when the first usable clause of the Accept header is protobuf.
[[nodiscard]] bool wants_protobuf(const ApiRequest& request);

// A list of such objects in its envelope; nothing if a field has no known number. Like Go, it also
// writes empty values of fields that are not pointers there.
[[nodiscard]] std::optional<std::string> protobuf_list(const Kind& kind, const Json& list);

}  // namespace elbowroom::lab
