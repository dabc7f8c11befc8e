// The OpenAPI v3 documents of the lab's API, as far as kubectl reads them: for validation, explain
// and client-side apply. They are generated from the schema that the server decodes with, so they
// match what it does.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lab/world/kind.h"

namespace elbowroom::lab {

// The document at /openapi/v3 (an index) or /openapi/v3/apis/GROUP/VERSION as JSON text, built
// once; nothing for other paths. Pod groups and workloads are described in the given versions.
[[nodiscard]] std::optional<std::string_view> openapi_document(
    std::string_view path, GroupVersions groups = GroupVersions::All);

}  // namespace elbowroom::lab
