// A scheduling decision as text. It gives, in this order: the pod's node, its victims, and every
// node's verdict.
#pragma once

#include <string>

#include "policy/placement/gang_schedule.h"
#include "policy/placement/schedule.h"

namespace elbowroom::cli {

// The same for a pod group: the node of each pod, and the victims.
[[nodiscard]] std::string group_schedule_table(const policy::GroupSchedulingDecision& decision);

[[nodiscard]] std::string schedule_table(const policy::SchedulingDecision& decision);

}  // namespace elbowroom::cli
