// Delays a start after crashes of earlier ones. Nothing else of the program runs meanwhile, and the
// service manager is told how much longer the start takes.
#pragma once

#include <chrono>

#include "daemon/log/log.h"

namespace elbowroom::daemon {

// Waits for `time`, and reports this to the log and to the service manager. Returns false if a
// signal asked the program to end meanwhile. A SIGHUP during this time stays pending for the next
// wait. Requires block_stop_signals().
[[nodiscard]] bool back_off(std::chrono::seconds time, Log& log);

}  // namespace elbowroom::daemon
