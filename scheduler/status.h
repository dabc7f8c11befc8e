// What the scheduler's other threads may know of it, at one moment. It is a copy, handed over by
// the reactor's own thread; no other thread reads the reactor.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <string>

#include "scheduler/counters.h"

namespace elbowroom::scheduler {

struct SchedulerStatus {
  bool leads = false;
  bool synced = false;
  std::string idle_because{};  // "" while it acts
  std::string lost{};          // what is not followed and why; "" while all is
  std::string lease{};  // why it could not lead although no other replica does; "" where it could
  Counts counts{};
  std::array<std::size_t, 4> queued{};          // by Queue::Where
  std::array<std::size_t, 4> queued_resizes{};  // of them: Deferred resizes
  std::size_t assumed = 0;
  std::size_t refused = 0;
  std::size_t nodes = 0;
  std::size_t pods = 0;
  std::size_t unreadable = 0;  // pods that were never understood
  std::chrono::milliseconds deferred_longest{0};
};

class Reactor;

// `now` of the reactor's clock: time passes while nothing is observed.
[[nodiscard]] SchedulerStatus scheduler_status_of(const Reactor& reactor,
                                                  std::chrono::milliseconds now);

}  // namespace elbowroom::scheduler
