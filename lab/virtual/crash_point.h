// When a simulated process is lost. It is counted in effects, so any place between two of them can
// be named.
#pragma once

#include <cstddef>

namespace elbowroom::lab {

// Lose the process when it is about to perform its effect number `effect` from now (from 0).
struct CrashPoint {
  std::size_t effect = 0;
  bool after = false;  // the effect has happened, and nobody hears of it

  friend bool operator==(const CrashPoint&, const CrashPoint&) = default;
};

}  // namespace elbowroom::lab
