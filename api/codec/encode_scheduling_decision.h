// Encodes the placement of a pending pod as the documents that `simulate schedule` prints. Keys are
// always present; an absent value is "", [], {} or null.
#pragma once

#include "base/document.h"
#include "policy/placement/gang_schedule.h"
#include "policy/placement/schedule.h"

namespace elbowroom::api {

[[nodiscard]] Value encode_scheduling_decision(const policy::SchedulingDecision& decision);

[[nodiscard]] Value encode_group_scheduling_decision(
    const policy::GroupSchedulingDecision& decision);

}  // namespace elbowroom::api
