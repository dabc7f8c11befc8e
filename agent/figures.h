// The agent's metrics. The one thing to know: they follow the reactor's counts; nothing is counted
// here.
#pragma once

#include <string>

#include "agent/snapshot.h"
#include "daemon/metrics.h"

namespace elbowroom::agent {

class Figures {
 public:
  // `metrics` must outlive it.
  explicit Figures(daemon::Metrics& metrics);

  // Moves every figure to what the snapshot says. One thread at a time.
  void follow(const Snapshot& now);

 private:
  daemon::Metrics& metrics_;
  Counts last_{};
};

}  // namespace elbowroom::agent
