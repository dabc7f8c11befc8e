// Removes marks that no removal needs any more. Only marks that are doubtful are looked at.
#pragma once

#include <string>

#include "scheduler/reactor_state.h"

namespace elbowroom::scheduler {

class MarkClearer {
 public:
  // Both must live as long.
  MarkClearer(const ReactorOptions& options, ReactorState& state)
      : options_(options), state_(state) {}

  void clear_stale();
  // The removal of that pod's mark failed; it is tried again after a backoff.
  void not_cleared(const std::string& key, const Error& error);

 private:
  void clear_if_stale(const std::string& key);

  const ReactorOptions& options_;
  ReactorState& state_;
};

}  // namespace elbowroom::scheduler
