// Sums over the node's pods, for metrics. They are computed from the reactor's views on request,
// about once a second, never maintained incrementally.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "policy/model/node.h"
#include "policy/model/pod.h"
#include "policy/model/resources.h"

namespace elbowroom::agent {

struct NodeTotals {
  policy::Resources allocatable{};
  policy::Resources desired{};  // of the pods that hold room, like the next two
  policy::Resources allocated{};
  policy::Resources actual{};
  std::size_t cpu_mismatches = 0;  // pods whose actual size differs from the allocated one
  std::size_t memory_mismatches = 0;
  std::size_t quarantined = 0;     // unreadable pods
  std::size_t may_still_stop = 0;  // pods that the circuit breaker would allow to be removed
  std::chrono::milliseconds deferred_longest{0};
};

// Returns the sums alone; `node` may be nullptr.
[[nodiscard]] NodeTotals sum_up(const policy::Node* node, const std::vector<policy::Pod>& pods);

}  // namespace elbowroom::agent
