// When a simulated process crashes. The point is counted in effects, so it can be between any two
// of them.
#pragma once

#include <cstddef>

namespace elbowroom::lab {

// Crashes the process when it is about to perform its effect number `effect` from now (from 0).
struct CrashPoint {
  std::size_t effect = 0;
  bool after = false;  // the effect is performed, but its outcome is lost

  friend bool operator==(const CrashPoint&, const CrashPoint&) = default;
};

}  // namespace elbowroom::lab
