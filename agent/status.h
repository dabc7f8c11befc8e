// What the agent's other threads may know of it: readiness and counts at one moment. It is a copy,
// handed over by the reactor's own thread; nobody looks into the reactor.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/requested_resizes.h"

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
  std::map<std::string, std::uint64_t> outcomes{};  // completed, deferred, infeasible, error, ...
  RequestedResizes requests{};
  std::uint64_t saves = 0;
  std::uint64_t save_failures = 0;
  std::uint64_t removals = 0;
  std::uint64_t removals_blocked = 0;  // by the circuit breaker
  std::uint64_t removals_refused = 0;  // by the API server
  std::uint64_t removals_unsaved = 0;  // the disk did not take the intent
  std::uint64_t unreadable_pods = 0;
  std::uint64_t undone = 0;                        // writes of ours that somebody else undid
  std::uint64_t overruled = 0;                     // allocations of a checkpoint that was old
  std::map<std::string, std::uint64_t> pending{};  // now, by reason: Deferred, Infeasible

  friend bool operator==(const Counts&, const Counts&) = default;
};

// How long one step of a resize took.
struct PhaseTook {
  std::string phase{};  // decide, durable, actuate, verify
  std::chrono::milliseconds time{0};

  friend bool operator==(const PhaseTook&, const PhaseTook&) = default;
};

// Something that this agent wrote, undone by somebody else.
struct Undone {
  std::string pod{};  // NAMESPACE/NAME
  std::string uid{};
  std::string what{};  // "its condition PodResizePreemptionDisabled", ...

  friend bool operator==(const Undone&, const Undone&) = default;
};

// An allocation of the checkpoint that was older than what API server or runtime show.
struct Overruled {
  std::string pod{};  // NAMESPACE/NAME
  std::string uid{};
  std::int64_t generation = 0;  // of the pod, in the checkpoint
  std::int64_t by = 0;          // of what counts instead, at most

  friend bool operator==(const Overruled&, const Overruled&) = default;
};

struct Snapshot {
  std::vector<ReadyCheck> checks{};
  Counts counts{};
  std::size_t pods = 0;
  bool contended = false;                     // yielded to another writer
  bool safe_mode = false;                     // observes only, because it kept crashing
  std::optional<bool> critical_preemption{};  // by this node itself; none: not known yet
  std::vector<PhaseTook> took{};              // what ended with the last observation
  std::vector<Undone> undone{};               // what was noticed with it
  std::vector<Overruled> overruled{};         // the same
};

}  // namespace elbowroom::agent
