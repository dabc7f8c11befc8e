// Pending pods that ask for the same. Where no node takes one of them, none takes another until
// something helps; so thousands of equal pods cost one decision.
#pragma once

#include <optional>
#include <string>

#include "policy/model/pod.h"

namespace elbowroom::scheduler {

// Equal for pods that are refused alike; nothing for one to which other pods beside it, or a
// nomination of its own, make a difference. `labels_matter`: some pod keeps pods away by their
// labels.
[[nodiscard]] std::optional<std::string> pod_signature(const policy::Pod& pod, bool labels_matter);

}  // namespace elbowroom::scheduler
