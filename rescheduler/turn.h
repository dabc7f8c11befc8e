// One turn of the leader: when it is, and what may be done.
#pragma once

#include <chrono>

#include "policy/model/time.h"

namespace elbowroom::rescheduler {

struct Turn {
  std::chrono::milliseconds now{0};    // on the reactor's clock
  policy::Time server{};               // by the API server's
  std::chrono::milliseconds fence{0};  // by when everything that is written must have ended
  bool dry_run = false;
};

}  // namespace elbowroom::rescheduler
