// A resize report for people. It answers in this order: what was decided, what is lacking, who
// holds the room, who could go and why not the others.
#pragma once

#include <string>

#include "policy/resize/resize_report.h"

namespace elbowroom::cli {

[[nodiscard]] std::string resize_table(const policy::ResizeReport& report);

}  // namespace elbowroom::cli
