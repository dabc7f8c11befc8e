// A PodExplanation document as text. It prints documents, not values, so a daemon's explanation and
// one computed here read alike; missing parts are left out.
#pragma once

#include <string>

#include "base/document.h"

namespace elbowroom::cli {

// At most 100 columns except for long names; a pod with nothing pending gets three lines.
[[nodiscard]] std::string explanation_text(const Value& document);

}  // namespace elbowroom::cli
