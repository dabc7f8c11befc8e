// The time of a simulation. Its owner moves it, only forwards. A node's time of day may be off; its
// steady time never is.
#pragma once

#include <chrono>

#include "policy/model/time.h"

namespace elbowroom::lab {

struct VirtualClock {
  using Steady = std::chrono::steady_clock;

  Steady::time_point now{std::chrono::hours(1)};
  policy::Time wall{};  // the API server's
};

}  // namespace elbowroom::lab
