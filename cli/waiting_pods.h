// The pods of a cluster that wait for room or for a node.
#pragma once

#include <string>
#include <vector>

#include "base/document.h"
#include "base/result.h"
#include "cli/input/cluster_reader.h"
#include "cli/input/object_name.h"

namespace elbowroom::cli {

// Whether its resize is pending, as its conditions say, or it has no node yet. A pod that ends, or
// has scheduling gates, waits for neither.
[[nodiscard]] bool waits_for_room(const Value& pod);

// In the namespace, "" for all, with these labels, "" for any; node2 before node10.
[[nodiscard]] Result<std::vector<ObjectName>> waiting_pods(ClusterReader& reader,
                                                           const std::string& ns,
                                                           const std::string& selector);

}  // namespace elbowroom::cli
