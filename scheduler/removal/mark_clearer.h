// Removes marks that no removal needs any more; the rest of a pod group whose removal has begun
// follows instead. Only marks that are doubtful are looked at.
#pragma once

#include <string>

#include "scheduler/reactor_state.h"
#include "scheduler/removal/group_rest.h"

namespace elbowroom::scheduler {

class MarkClearer {
 public:
  // Both must live as long.
  MarkClearer(const ReactorOptions& options, ReactorState& state)
      : options_(options), state_(state) {}

  void clear_stale();
  // The removal of that pod's mark, or of the pod, failed; it is tried again after a backoff.
  void not_cleared(const std::string& key, const Error& error);

 private:
  void clear_if_stale(const std::string& key);

  const ReactorOptions& options_;
  ReactorState& state_;
  GroupRest rest_{state_};
};

}  // namespace elbowroom::scheduler
