// The current boot of the machine and its clock. A restarted agent needs them to know how long ago
// something was: wall time can be set, this clock cannot. A time of another boot has no meaning.
#pragma once

#include <chrono>
#include <string>

namespace elbowroom::agent {

struct Boot {
  std::string id{};                       // "": not known; then no recorded time is trusted
  std::chrono::milliseconds at_start{0};  // time since boot when this agent started

  friend bool operator==(const Boot&, const Boot&) = default;
};

// Reads both from the kernel.
[[nodiscard]] Boot boot_now();

}  // namespace elbowroom::agent
