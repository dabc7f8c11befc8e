// A resize report as text. It gives, in this order: the decision, the missing amounts, the pods
// that hold the room, and which pods can be preempted and why the others cannot.
#pragma once

#include <string>

#include "policy/resize/resize_report.h"

namespace elbowroom::cli {

[[nodiscard]] std::string resize_table(const policy::ResizeReport& report);

}  // namespace elbowroom::cli
