// The scheduler's counts since it started, for metrics. No decision depends on them.
#pragma once

#include <array>
#include <cstdint>

#include "scheduler/waiting/requeue_hints.h"

namespace elbowroom::scheduler {

struct Counts {
  std::array<std::uint64_t, kResults> turns{};  // by TurnResult
  [[nodiscard]] std::uint64_t all_turns() const {
    std::uint64_t all = 0;
    for (const std::uint64_t each : turns) all += each;
    return all;
  }
  std::uint64_t sets = 0;              // removals that reached their first delete
  std::uint64_t victims = 0;           // pods whose delete was accepted
  std::uint64_t victims_for_pods = 0;  // of these, for a pending pod and not for a resize
  std::uint64_t bindings = 0;          // pods that were placed
  std::uint64_t unbound = 0;           // bindings that were refused, or failed
  std::uint64_t budget_violations = 0;
  std::uint64_t refused = 0;         // sets of which no pod was removed
  std::uint64_t useful_flushes = 0;  // the safety net woke a pod that had work: a bug
  std::uint64_t disagreements = 0;   // it fits, but the node has refused it for two minutes
  std::uint64_t fenced_writes = 0;
  std::uint64_t transitions = 0;  // times it became leader
  std::uint64_t unreadable = 0;   // unreadable objects
};

}  // namespace elbowroom::scheduler
