// What clients ask an API server about itself: versions, groups, resources. It is made from the
// table of kinds, so what is listed is what is served.
#pragma once

#include <optional>
#include <string_view>

#include "lab/world/json.h"

namespace elbowroom::lab {

// The document at /version, /api, /apis, /api/v1, /apis/GROUP or /apis/GROUP/VERSION; nothing for
// any other path.
[[nodiscard]] std::optional<Json> discovery(std::string_view path);

}  // namespace elbowroom::lab
