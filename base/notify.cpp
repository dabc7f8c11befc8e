#include "base/notify.h"

#include <systemd/sd-daemon.h>

#include <cstdint>
#include <ctime>
#include <string>

#include "base/text.h"

namespace elbowroom {
namespace {

constexpr std::size_t kMaxStatusBytes = 1024;

// Stays in the environment: programs that daemons start get an environment without it.
void send(const std::string& state) { sd_notify(0, state.c_str()); }

}  // namespace

void notify_ready() { send("READY=1"); }

void notify_reloading() {
  // The service manager uses this time to tell this message from an earlier one that arrives late.
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const auto usec = std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
  send("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(usec));
}

void notify_starting_within(std::chrono::seconds time) {
  send("EXTEND_TIMEOUT_USEC=" + std::to_string(std::chrono::microseconds(time).count()));
}

void notify_stopping() { send("STOPPING=1"); }
void notify_alive() { send("WATCHDOG=1"); }

void notify_status(std::string_view line) {
  send("STATUS=" + clipped(sanitize_line(line), kMaxStatusBytes));
}

std::optional<std::chrono::microseconds> watchdog_interval() {
  std::uint64_t usec = 0;
  if (sd_watchdog_enabled(0, &usec) <= 0) return std::nullopt;
  return std::chrono::microseconds(static_cast<std::int64_t>(usec));
}

}  // namespace elbowroom
