// Notifications to the service manager: ready, stopping, a status line, alive. It is systemd's
// notify protocol. Without a service manager every call does nothing.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace elbowroom {

// Each call sends one datagram to the socket named by NOTIFY_SOCKET and never waits for an answer.
// It returns nothing, because a caller could not fix a failure.
void notify_ready();
void notify_reloading();  // until the next notify_ready()
void notify_stopping();
// Extends the start timeout: the start takes up to `time` more from now on.
void notify_starting_within(std::chrono::seconds time);
void notify_status(std::string_view line);  // reduced to one line of at most 1 KiB
void notify_alive();                        // feeds the watchdog

// How long the service manager waits for notify_alive before it kills the process; call it at a
// third of that. Nothing without a watchdog. Reads WATCHDOG_USEC and WATCHDOG_PID.
[[nodiscard]] std::optional<std::chrono::microseconds> watchdog_interval();

}  // namespace elbowroom
