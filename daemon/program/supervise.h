// Supervises a daemon until it must end. Systemd's watchdog is fed only here, and only while every
// loop turns.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "daemon/log/log.h"
#include "daemon/program/watchdog.h"

namespace elbowroom::daemon {

// Returns how long a loop may stand still: half of the service manager's watchdog interval,
// otherwise 15 s.
[[nodiscard]] std::chrono::milliseconds loop_patience();

// Returns when a signal asks the daemon to end, and logs it. Until then: calls `reload` for each
// SIGHUP; reports a loop that hangs; about once a second, or as often as the service manager
// requires, flushes the log and passes the number of folded lines so far to `suppressed`. Requires
// block_stop_signals().
void supervise(const Watchdog& watchdog, Log& log, const std::function<void()>& reload,
               const std::function<void(std::uint64_t lines)>& suppressed);

}  // namespace elbowroom::daemon
