// Objects as Kubernetes' protobuf has them: bare, as items of a list are, and in the envelope that
// every body begins with. What is no pointer in Go is written when it is empty, too, as Go does.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lab/world/json.h"
#include "lab/world/kind.h"

namespace elbowroom::lab {

// True where every field that such an object can have has its number here.
[[nodiscard]] bool speaks_protobuf(const Kind& kind);

// One object of a list: the bare message; nothing where a field has no number here.
[[nodiscard]] std::optional<std::string> protobuf_item(const Kind& kind, const Json& object);

// In its envelope; what the kind does not know is left out. Requires speaks_protobuf(kind).
[[nodiscard]] std::string protobuf_object(const Kind& kind, const Json& object);

// runtime.Unknown around a bare message.
[[nodiscard]] std::string protobuf_envelope(std::string_view api_version, std::string_view kind,
                                            std::string_view raw);

}  // namespace elbowroom::lab
