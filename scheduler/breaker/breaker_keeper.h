// Keeps the circuit breaker's record with the API server while the process leads, so that a
// successor counts what this leader has removed. A dry run removes nothing and keeps nothing.
#pragma once

#include "base/result.h"
#include "scheduler/in_flight.h"
#include "scheduler/reactor_state.h"

namespace elbowroom::scheduler {

class BreakerKeeper {
 public:
  // Both must live as long.
  BreakerKeeper(const ReactorOptions& options, ReactorState& state)
      : options_(options), state_(state) {}

  // Sends the next read or write of the record, if one is due.
  void keep();
  // The answer.
  void kept(const Keeping& what, const Done& done);
  void not_kept(const Keeping& what, const Error& error);

 private:
  const ReactorOptions& options_;
  ReactorState& state_;
};

}  // namespace elbowroom::scheduler
