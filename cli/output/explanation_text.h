// A PodExplanation document for people. It prints documents, not values, so what a daemon explains
// and what is computed here read alike; whatever a document lacks is left out.
#pragma once

#include <string>

#include "base/document.h"

namespace elbowroom::cli {

// At most 100 columns but for long names; a pod with nothing pending gets three lines.
[[nodiscard]] std::string explanation_text(const Value& document);

}  // namespace elbowroom::cli
