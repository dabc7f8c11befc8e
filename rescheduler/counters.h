// What the rescheduler counts, since its start.
#pragma once

#include <cstdint>

namespace elbowroom::rescheduler {

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

  friend bool operator==(const Counts&, const Counts&) = default;
};

}  // namespace elbowroom::rescheduler
