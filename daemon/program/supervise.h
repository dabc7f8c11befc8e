// Looks after a daemon until it is to end. Systemd's watchdog is fed while every loop turns, and by
// nobody else.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "daemon/log/log.h"
#include "daemon/program/watchdog.h"

namespace elbowroom::daemon {

// For how long a loop may stand still: half of what the service manager waits, else 15 s.
[[nodiscard]] std::chrono::milliseconds loop_patience();

// Returns when a signal asks the daemon to end, which the log is told. Until then: calls `reload`
// for each SIGHUP; says so when a loop hangs; about once a second, or as often as the service
// manager wants to hear, flushes the log and tells `suppressed` how many lines it has folded so
// far. Requires block_stop_signals().
void supervise(const Watchdog& watchdog, Log& log, const std::function<void()>& reload,
               const std::function<void(std::uint64_t lines)>& suppressed);

}  // namespace elbowroom::daemon
