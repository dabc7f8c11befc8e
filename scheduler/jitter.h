// The jitter of waits under the name that the reactor and its queue use; see control/jitter.h.
#pragma once

#include "control/jitter.h"

namespace elbowroom::scheduler {

using control::with_jitter;

}  // namespace elbowroom::scheduler
