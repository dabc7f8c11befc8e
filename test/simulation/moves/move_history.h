// A history of a cluster whose pods the rescheduler moves, as values in time: nodes, owners of pods
// and budgets, what users and other programs change, and faults of the two reschedulers on one
// Lease. Any part of a history is a history too (a step about what does not exist does nothing), so
// a history that breaks something can be cut down.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lab/virtual/simulation.h"

namespace elbowroom::test {

struct MoveHistoryStep {
  enum class Kind : std::uint8_t {
    Node,        // of `a` millicores and `b` MiB in the zone `text`; c = 1: tainted, 2: cordoned,
                 // 3: not Ready
    Workload,    // of the kind `text`: `a` replicas of `b` millicores and `c` MiB, with traits `d`
    BarePod,     // `b` millicores, `c` MiB, with traits `d`
    PodBudget,   // over the pods that have the label app=`text`, or tier=y: keeps `a` available
    OwnBudget,   // the same, b > 0: loses at most `b` within `down`; c = 1: it is hard
    BudgetGone,  // of either kind
    Scale,       // to `a` replicas
    Rollout,     // a new template, which asks for the same
    DeletePod,  // the `a`th of the owner's pods; b = 1: at once, and the next one may have its name
    Cordon,     // a = 1: the node takes no new pods
    Ready,      // a = 0: the node is not Ready
    Rezone,     // the node is in the zone `text` from now on
    Drain,      // another program debits the `a`th of the owner's pods, and evicts it after `down`
    Settings,   // a = 0: as the history has them, 1: there are none, 2: they cannot be understood
    LoseRests,  // the record of rests is gone; a = 1: it is spoiled
    // Faults of the rescheduler `name`.
    Api,
    Partition,  // no request gets through, and no event arrives, for `a` seconds
    Crash,
    End,   // it is asked to end, and starts again after `down`
    Jump,  // its time of day jumps by `a` seconds
  };
  // Of pods, as bits.
  enum Trait : std::int64_t {
    Prefers = 1,     // the zone c, and a little the zone b
    Never = 2,       // by annotation
    Local = 4,       // has data on its node
    Important = 8,   // by priority
    Critical = 16,   // ... of the system
    Tolerates = 32,  // the taint
    Grouped = 64,
    Slow = 128,     // takes half a minute to end
    Foreign = 256,  // another scheduler places it, on the first node with room, some time later
    Tiered = 512,   // has the label tier=y
    Pinned = 1024,  // to the zone a
  };

  Kind kind = Kind::Node;
  std::chrono::milliseconds at{0};
  std::string name{};
  std::string text{};
  std::int64_t a = 0;
  std::int64_t b = 0;
  std::int64_t c = 0;
  std::int64_t d = 0;
  lab::ApiFault api{};
  lab::CrashPoint crash{};
  lab::StopOptions how{};
  std::chrono::milliseconds down{0};

  friend bool operator==(const MoveHistoryStep&, const MoveHistoryStep&) = default;
};

// The configuration of moves, in the terms of its page (docs/rescheduler.md).
struct MoveWishes {
  bool by_load = false;
  bool by_preference = false;
  std::int64_t threshold = 20;
  std::int64_t target = 50;
  std::int64_t moves_per_pass = 5;
  std::int64_t least_load = 1;
  std::int64_t least_preference = 30;
  std::int64_t reserve = 0;
  std::int64_t per_hour = 60;
  std::int64_t per_node_per_hour = 10;
  std::chrono::seconds interval{60};
  std::chrono::seconds cool_down{60};
  std::chrono::seconds avoid_for{600};
  bool protects_local = true;

  friend bool operator==(const MoveWishes&, const MoveWishes&) = default;
};
[[nodiscard]] std::string to_config(const MoveWishes& wishes);

struct MoveHistory {
  std::uint64_t seed = 0;
  MoveWishes wishes{};
  // One rescheduler without a Lease and without faults, in a cluster that nothing else changes once
  // it stands, until it is at rest. Otherwise two, and all that the steps say.
  bool is_quiet = false;
  std::vector<MoveHistoryStep> steps{};  // in time

  friend bool operator==(const MoveHistory&, const MoveHistory&) = default;
};

inline constexpr const char* kFirstRescheduler = "resched-a";
inline constexpr const char* kSecondRescheduler = "resched-b";
// The schedulers that pods name.
inline constexpr const char* kOurScheduler = "elbowroom";
inline constexpr const char* kForeignScheduler = "foreign";

// That of the seed, the same on every machine: a cluster that comes to rest by itself.
[[nodiscard]] MoveHistory move_cluster_of(std::uint64_t seed);
// ... and one that users, other programs and faults change meanwhile.
[[nodiscard]] MoveHistory move_history_of(std::uint64_t seed);

// One line for each step.
[[nodiscard]] std::string to_text(const MoveHistory& history);
[[nodiscard]] std::string to_text(const MoveHistoryStep& step);

struct MoveOutcome {
  std::vector<std::string> broken{};            // invariants that did not hold, with the time
  std::size_t observations = 0;                 // of reschedulers
  std::map<std::string, std::size_t> faults{};  // that were met, by name
  std::map<std::string, std::size_t> did{};     // what happened, by name
  std::vector<std::string> log{};               // where it was asked for
  std::chrono::seconds lasted{0};

  // Something was moved.
  [[nodiscard]] bool counts() const { return did.contains("move"); }
};

// Plays it, with every invariant checked at every step; ends at the first that is broken.
[[nodiscard]] MoveOutcome play(const MoveHistory& history, bool with_log = false);

}  // namespace elbowroom::test
