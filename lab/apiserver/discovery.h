// The discovery documents of the API server: versions, groups, resources. They are built from the
// table of kinds, so the lists match what is served.
#pragma once

#include <optional>
#include <string_view>

#include "lab/world/json.h"
#include "lab/world/kind.h"

namespace elbowroom::lab {

// The document at /version, /api, /apis, /api/v1, /apis/GROUP or /apis/GROUP/VERSION; nothing for
// any other path. Pod groups and workloads are listed in the given versions.
[[nodiscard]] std::optional<Json> discovery(std::string_view path,
                                            GroupVersions groups = GroupVersions::All);

}  // namespace elbowroom::lab
