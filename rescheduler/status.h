// What the rescheduler's other threads may know of it, at one moment. It is a copy, handed over by
// the reactor's own thread; no other thread reads the reactor.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "rescheduler/counters.h"

namespace elbowroom::rescheduler {

struct ReschedulerStatus {
  bool leads = false;
  bool synced = false;
  std::string idle_because{};  // "" while it acts
  std::string lost{};          // what is not followed and why; "" while all is
  std::string lease{};   // why it could not lead although no other replica does; "" where it could
  std::string writes{};  // why the last status was not written; "" where it was
  Counts counts{};
  std::size_t nodes = 0;
  std::size_t pods = 0;
  std::size_t budgets = 0;     // that are understood
  std::size_t unreadable = 0;  // budgets that are not
};

class Reactor;

[[nodiscard]] ReschedulerStatus rescheduler_status_of(const Reactor& reactor);

}  // namespace elbowroom::rescheduler
