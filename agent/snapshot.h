// What the agent's other threads may know of it: readiness and counts at one moment. The one thing
// to know: it is a copy, handed over by the reactor's own thread; nobody looks into the reactor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace elbowroom::agent {

// A line of /readyz.
struct ReadyCheck {
  std::string name{};
  bool ok = false;
  std::string why{};  // what is wrong and what to do; "" when ok
};

// Counted since the start; exported as metrics.
struct Counts {
  std::uint64_t judged = 0;
  std::map<std::string, std::uint64_t> outcomes{};  // completed, deferred, infeasible, error
  std::uint64_t saves = 0;
  std::uint64_t save_failures = 0;
  std::uint64_t removals = 0;
  std::uint64_t removals_blocked = 0;  // by the circuit breaker
  std::uint64_t unreadable_pods = 0;
  std::uint64_t undone = 0;                        // writes of ours that somebody else undid
  std::map<std::string, std::uint64_t> pending{};  // now, by reason: Deferred, Infeasible

  friend bool operator==(const Counts&, const Counts&) = default;
};

struct Snapshot {
  std::vector<ReadyCheck> checks{};
  Counts counts{};
  std::size_t pods = 0;
  bool contended = false;  // yielded to another writer
};

}  // namespace elbowroom::agent
