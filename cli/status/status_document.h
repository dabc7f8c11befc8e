// A cluster's status as a document and as text.
#pragma once

#include <cstddef>
#include <string>

#include "base/document.h"
#include "cli/status/cluster_status.h"

namespace elbowroom::cli {

// Kind Status: {server, leaders, agents, wrong, notes} and the members of an Overview.
[[nodiscard]] Value encode_status(const ClusterStatus& status);

// Without `all`, a table has at most this many rows and says how many more there are.
inline constexpr std::size_t kRowsShown = 30;
[[nodiscard]] std::string status_text(const ClusterStatus& status, bool all);

}  // namespace elbowroom::cli
