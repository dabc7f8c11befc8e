#include "agent/checkpoint/boot.h"

#include <ctime>

#include "base/durable_file.h"

namespace elbowroom::agent {

Boot boot_now() {
  auto id = read_file("/proc/sys/kernel/random/boot_id", 100);
  timespec now{};
  if (!id || clock_gettime(CLOCK_BOOTTIME, &now) != 0) return {};
  while (!id->empty() && id->back() == '\n') id->pop_back();
  const std::chrono::nanoseconds since =
      std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
  return {.id = *std::move(id), .at_start = std::chrono::floor<std::chrono::milliseconds>(since)};
}

}  // namespace elbowroom::agent
