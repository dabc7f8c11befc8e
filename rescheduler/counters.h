// What the rescheduler counts, since its start.
#pragma once

#include <array>
#include <cstdint>

namespace elbowroom::rescheduler {

// Moves of one policy.
struct MoveCounts {
  std::uint64_t evicted = 0;
  std::uint64_t blocked = 0;   // by a budget, each news once
  std::uint64_t failed = 0;    // for another reason, and nothing was evicted
  std::uint64_t unknown = 0;   // it is not known whether the pod was evicted
  std::uint64_t promised = 0;  // the sum of the gains of evicted pods
  std::uint64_t achieved = 0;  // of the pods that came up
  std::uint64_t came_back = 0;
  std::uint64_t pending = 0;  // ten minutes after

  friend bool operator==(const MoveCounts&, const MoveCounts&) = default;
};

// Reviews that were answered.
struct ReviewCounts {
  std::uint64_t allowed = 0;
  std::uint64_t refused = 0;  // by a budget
  std::uint64_t unsure = 0;   // refused or let pass without knowing

  friend bool operator==(const ReviewCounts&, const ReviewCounts&) = default;
};

struct Counts {
  std::uint64_t transitions = 0;    // times this replica began to lead
  std::uint64_t fenced_writes = 0;  // given up because the Lease was no longer sure to be ours
  std::uint64_t written = 0;        // statuses of budgets
  std::uint64_t conflicts = 0;      // another program was faster
  std::uint64_t failed = 0;         // for another reason
  std::uint64_t refunded = 0;       // entries whose pods were not removed
  std::uint64_t entered = 0;        // pods that went without having been debited
  std::uint64_t avoid_passes = 0;   // over nodes with ended entries
  std::uint64_t unreadable = 0;     // objects, each time
  std::uint64_t passes = 0;         // over the cluster, for moves
  std::uint64_t refused_settings = 0;
  std::uint64_t failed_rests = 0;     // the owners' rests were not written
  std::array<MoveCounts, 2> moves{};  // by policy
  ReviewCounts reviews{};

  friend bool operator==(const Counts&, const Counts&) = default;
};

}  // namespace elbowroom::rescheduler
