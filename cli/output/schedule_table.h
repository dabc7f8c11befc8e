// A scheduling decision for people. It answers in this order: where the pod goes, who has to go for
// it, and what every node says.
#pragma once

#include <string>

#include "policy/placement/schedule.h"

namespace elbowroom::cli {

[[nodiscard]] std::string schedule_table(const policy::SchedulingDecision& decision);

}  // namespace elbowroom::cli
