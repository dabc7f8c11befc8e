// The two forms of Events: core v1, in which they are stored, and events.k8s.io/v1. They differ
// only in field names, so both conversions are a renaming.
#pragma once

#include "lab/world/json.h"

namespace elbowroom::lab {

[[nodiscard]] Json core_event(Json event);
[[nodiscard]] Json events_k8s_io_event(Json event);

}  // namespace elbowroom::lab
