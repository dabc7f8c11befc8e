// A scheduling decision as text. It gives, in this order: the pod's node, its victims, and the
// nodes' verdicts, the best first.
#pragma once

#include <cstdint>
#include <string>

#include "policy/placement/gang_schedule.h"
#include "policy/placement/schedule.h"

namespace elbowroom::cli {

// The same for a pod group: the node of each pod, and the victims.
[[nodiscard]] std::string group_schedule_table(const policy::GroupSchedulingDecision& decision);

// Best: the thirty best nodes, and how many there are besides.
enum class ShownNodes : std::uint8_t { Best, All };
[[nodiscard]] std::string schedule_table(const policy::SchedulingDecision& decision,
                                         ShownNodes shown = ShownNodes::Best);

}  // namespace elbowroom::cli
