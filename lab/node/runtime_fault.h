// What can go wrong between the agent and its runtime, as a value. A call is met when the runtime
// takes it up, and while one hangs the others wait behind it.
#pragma once

#include <chrono>
#include <cstdint>

namespace elbowroom::lab {

struct RuntimeFault {
  enum class Kind : std::uint8_t {
    Hang,             // nothing is done, and after `delay` the call has timed out
    Late,             // done, answered after `delay`
    AppliedButError,  // done, and answered with an error
    NotApplied,       // answered as done, and nothing is done
    Restart,          // for `delay` nothing answers; containers go on
  };

  Kind kind = Kind::Hang;
  std::chrono::milliseconds delay{0};

  friend bool operator==(const RuntimeFault&, const RuntimeFault&) = default;
};

}  // namespace elbowroom::lab
