// The order in which a node tries its pending resizes. It is a strict total order (upstream's is
// not), so equal inputs give equal plans on every run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "policy/model/pod.h"
#include "policy/model/time.h"

namespace elbowroom::policy {

// What the order looks at. Smaller comes first: resizes that raise neither the pod's cpu nor its
// memory, then higher priority, Guaranteed, longest pending (never judged yet: last), arrival, uid.
// Source: kubelet allocation_manager.go, sortPendingResizes; KEP-5836 and KEP-1287 for the
// criteria.
struct RetryKey {
  bool increases = false;
  std::int64_t negated_priority = 0;
  bool not_guaranteed = true;
  bool never_judged = true;
  Time pending_since{};
  std::uint64_t arrival = 0;
  std::string uid{};

  friend auto operator<=>(const RetryKey&, const RetryKey&) = default;
};

// `arrival` counts the resizes a process has seen; 0 where nobody counts.
[[nodiscard]] RetryKey retry_key(const Pod& pod, std::uint64_t arrival);

// True when the total of desired cpu or memory is above the allocated total; overhead and pod-level
// requests included, the actual figures not. Source: kubelet isResizeIncreasingRequests.
[[nodiscard]] bool increases_requests(const Pod& pod);

}  // namespace elbowroom::policy
