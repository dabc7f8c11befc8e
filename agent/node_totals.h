// What the node's pods add up to, for metrics. It is computed from the reactor's views when asked,
// about once a second, never counted along.
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
  policy::Resources desired{};  // of the pods that hold room, as the next two
  policy::Resources allocated{};
  policy::Resources actual{};
  std::size_t cpu_mismatches = 0;  // pods whose actual size is not the allocated one
  std::size_t memory_mismatches = 0;
  std::size_t quarantined = 0;     // pods that cannot be understood
  std::size_t may_still_stop = 0;  // pods the circuit breaker would let go
  std::chrono::milliseconds deferred_longest{0};
};

// The sums alone; `node` may be nullptr.
[[nodiscard]] NodeTotals sum_up(const policy::Node* node, const std::vector<policy::Pod>& pods);

}  // namespace elbowroom::agent
