// The server's clock under the names that the reactor uses; see control/server_clock.h.
#pragma once

#include "control/server_clock.h"

namespace elbowroom::scheduler {

using control::DateNews;
using control::ServerClock;

}  // namespace elbowroom::scheduler
