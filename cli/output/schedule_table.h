// A scheduling decision as text. It gives, in this order: the pod's node, its victims, and every
// node's verdict.
#pragma once

#include <string>

#include "policy/placement/schedule.h"

namespace elbowroom::cli {

[[nodiscard]] std::string schedule_table(const policy::SchedulingDecision& decision);

}  // namespace elbowroom::cli
