// The terms of one look for a node: what the scheduler knows of a pod and the cluster's room that
// the room itself does not hold.
#pragma once

#include "policy/model/pod.h"
#include "policy/placement/schedule.h"
#include "scheduler/reactor_state.h"

namespace elbowroom::scheduler {

[[nodiscard]] policy::ScheduleTerms terms_for(const policy::Pod& pod, ReactorState& state);

}  // namespace elbowroom::scheduler
