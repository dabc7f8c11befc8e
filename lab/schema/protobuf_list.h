// A list of objects as Kubernetes' protobuf has it, for clients that ask for it. It is served whole
// or not at all; where an object has a field whose number is not known here, the list goes out as
// JSON, which every such client must take.
#pragma once

#include <optional>
#include <string>

#include "lab/apiserver/api_request.h"
#include "lab/world/json.h"
#include "lab/world/kind.h"

namespace elbowroom::lab {

// True where the first clause of the Accept header that can be served is protobuf.
[[nodiscard]] bool wants_protobuf(const ApiRequest& request);

// A list of such objects in its envelope; nothing where a field has no number here. As Go writes
// it: what is no pointer there is written when it is empty, too.
[[nodiscard]] std::optional<std::string> protobuf_list(const Kind& kind, const Json& list);

}  // namespace elbowroom::lab
