// A GroupExplanation document as text: the group, what it waits for, its pods, and the decision
// about those that have no node.
#pragma once

#include <string>

#include "base/document.h"

namespace elbowroom::cli {

[[nodiscard]] bool is_group_explanation(const Value& document);

// At most 100 columns except for long names.
[[nodiscard]] std::string group_explanation_text(const Value& document);

}  // namespace elbowroom::cli
