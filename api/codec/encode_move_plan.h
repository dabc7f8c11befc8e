// Encodes a pass of the rescheduler as the document that `simulate reschedule` prints. Keys are
// always present; an absent value is "" or [].
#pragma once

#include "base/document.h"
#include "policy/moves/move_plan.h"

namespace elbowroom::api {

// Contract 3.3: kind RescheduleDecision.
[[nodiscard]] Value encode_move_plan(const policy::MovePlan& plan);

}  // namespace elbowroom::api
