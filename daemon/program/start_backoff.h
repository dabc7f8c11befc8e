// A start that waits because the ones before it crashed. Nothing else of the program runs
// meanwhile, and the service manager is told how much longer the start takes.
#pragma once

#include <chrono>

#include "daemon/log/log.h"

namespace elbowroom::daemon {

// Waits for `time`, saying so to the log and to the service manager. False: it was asked to end
// meanwhile. A SIGHUP of this time is there still for whoever waits next. Requires
// block_stop_signals().
[[nodiscard]] bool back_off(std::chrono::seconds time, Log& log);

}  // namespace elbowroom::daemon
