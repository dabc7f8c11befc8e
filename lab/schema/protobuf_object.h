// Objects in Kubernetes' protobuf: bare, as items of a list are, and in the envelope that every
// body begins with. Like Go, it also writes empty values of fields that are not pointers there.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lab/world/json.h"
#include "lab/world/kind.h"

namespace elbowroom::lab {

// True when every field that such an object can have has a known number.
[[nodiscard]] bool supports_protobuf(const Kind& kind);

// One object of a list: the bare message; nothing if a field has no known number.
[[nodiscard]] std::optional<std::string> protobuf_item(const Kind& kind, const Json& object);

// The object in its envelope; unknown fields are left out. Requires supports_protobuf(kind).
[[nodiscard]] std::string protobuf_object(const Kind& kind, const Json& object);

// Wraps a bare message in runtime.Unknown.
[[nodiscard]] std::string protobuf_envelope(std::string_view api_version, std::string_view kind,
                                            std::string_view raw);

}  // namespace elbowroom::lab
