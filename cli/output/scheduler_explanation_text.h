// Prints what elbowroom-scheduler answers at /explain. All of it comes from a daemon and is printed
// on a terminal: it is sanitized and bounded here.
#pragma once

#include <string>

#include "base/document.h"

namespace elbowroom::cli {

[[nodiscard]] bool is_scheduler_explanation(const Value& document);

// Prints a document of kind SchedulerExplanation.
[[nodiscard]] std::string scheduler_explanation_text(const Value& document);

}  // namespace elbowroom::cli
