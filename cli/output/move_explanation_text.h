// The rescheduler's answer about a pod, as text: why it is moved or is not, until when its owner
// rests, and what its disruption budgets allow.
#pragma once

#include <string>

#include "base/document.h"

namespace elbowroom::cli {

[[nodiscard]] bool is_move_explanation(const Value& document);

// Prints a document of kind BudgetsOfPod.
[[nodiscard]] std::string move_explanation_text(const Value& document);

}  // namespace elbowroom::cli
