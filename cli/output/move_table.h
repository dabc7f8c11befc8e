// A pass of the rescheduler as tables for people.
#pragma once

#include <string>

#include "policy/moves/move_plan.h"

namespace elbowroom::cli {

[[nodiscard]] std::string move_table(const policy::MovePlan& plan);

}  // namespace elbowroom::cli
