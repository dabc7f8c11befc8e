// What the service manager is told: ready, stopping, a line of status, alive. It is systemd's
// notify protocol, and without a service manager every call does nothing.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace elbowroom {

// Each call sends one datagram to the socket the environment names (NOTIFY_SOCKET), never waits for
// an answer and cannot fail in a way that a caller could mend, so it returns nothing.
void notify_ready();
void notify_reloading();  // until the next notify_ready()
void notify_stopping();
// A start takes so much longer, from now on, than the service manager was told to allow it.
void notify_starting_within(std::chrono::seconds time);
void notify_status(std::string_view line);  // made one line of at most 1 KiB
void notify_alive();                        // feeds the watchdog

// How long the service manager waits for notify_alive before it kills us; feed at a third of it.
// Nothing where it does not watch us. Reads WATCHDOG_USEC and WATCHDOG_PID.
[[nodiscard]] std::optional<std::chrono::microseconds> watchdog_interval();

}  // namespace elbowroom
