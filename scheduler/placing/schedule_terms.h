// The terms of one look for a node: what the scheduler knows of a pod and the cluster's room that
// the room itself does not hold.
#pragma once

#include <span>

#include "policy/model/pod.h"
#include "policy/placement/schedule.h"
#include "scheduler/reactor_state.h"

namespace elbowroom::scheduler {

[[nodiscard]] policy::ScheduleTerms terms_for(const policy::Pod& pod, ReactorState& state);
// For the members of a gang, each of which avoids the nodes that turned out pods like itself.
[[nodiscard]] policy::ScheduleTerms terms_for(std::span<const policy::Pod> members,
                                              ReactorState& state);

}  // namespace elbowroom::scheduler
