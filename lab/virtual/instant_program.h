// A program of a simulation without latency that the lab knows nothing of: it follows the world and
// writes into it at once, after nodes, agents and schedulers.
#pragma once

#include <optional>

#include "lab/virtual/virtual_clock.h"

namespace elbowroom::lab {

class InstantProgram {
 public:
  InstantProgram() = default;
  InstantProgram(const InstantProgram&) = delete;
  InstantProgram& operator=(const InstantProgram&) = delete;
  virtual ~InstantProgram() = default;

  // Performs all that is due now. Returns true if there was anything.
  virtual bool settle() = 0;
  // When there is something to do; none: it waits for changes alone.
  [[nodiscard]] virtual std::optional<VirtualClock::Steady::time_point> next_due() const = 0;
};

}  // namespace elbowroom::lab
