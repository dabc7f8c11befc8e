// Pending pods that ask for the same. The one thing to know: where no node takes one of them, none
// takes another until something helps; so thousands of equal pods cost one decision.
#pragma once

#include <optional>
#include <string>

#include "policy/pod.h"

namespace elbowroom::scheduler {

// Equal for pods that are refused alike; nothing for one to which other pods beside it, or a
// nomination of its own, make a difference. `labels_matter`: some pod keeps pods away by their
// labels.
[[nodiscard]] std::optional<std::string> alike_text(const policy::Pod& pod, bool labels_matter);

}  // namespace elbowroom::scheduler
