// Encodes an overview as a document of kind Overview, which `status`, `top` and /overview print.
// Every key is always present; an absent value is "", [], {} or null.
#pragma once

#include "base/document.h"
#include "policy/overview/overview.h"

namespace elbowroom::api {

// Quantities in canonical form; zero amounts are omitted; times in RFC 3339; texts have at most 64
// KiB.
[[nodiscard]] Value encode_overview(const policy::Overview& overview);

// One entry of its lists `nodes`, `waiting`, ...
[[nodiscard]] Value encode_node_overview(const policy::NodeOverview& node);
[[nodiscard]] Value encode_waiting_resize(const policy::WaitingResize& waiting);

}  // namespace elbowroom::api
