// Faults between the agent and its runtime, as values. A fault hits a call when the runtime starts
// on it; while one call hangs, the others wait behind it.
#pragma once

#include <chrono>
#include <cstdint>

namespace elbowroom::lab {

struct RuntimeFault {
  enum class Kind : std::uint8_t {
    Hang,             // nothing is done, and the call times out after `delay`
    Late,             // done, answered after `delay`
    AppliedButError,  // done, and answered with an error
    NotApplied,       // answered as done, and nothing is done
    Restart,          // nothing answers for `delay`; containers keep running
  };

  Kind kind = Kind::Hang;
  std::chrono::milliseconds delay{0};

  friend bool operator==(const RuntimeFault&, const RuntimeFault&) = default;
};

}  // namespace elbowroom::lab
