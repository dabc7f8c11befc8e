// The order in which a node retries its pending resizes. It is a strict total order (upstream's is
// not), so equal inputs always give equal plans.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "policy/model/pod.h"
#include "policy/model/time.h"

namespace elbowroom::policy {

// The key of the order; smaller comes first: resizes that raise neither the pod's cpu nor its
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

// `arrival` is the resize's number in this process; 0 where resizes are not counted.
[[nodiscard]] RetryKey retry_key(const Pod& pod, std::uint64_t arrival);

// True when the total of desired cpu or memory is above the allocated total. Includes overhead and
// pod-level requests, but not the actual figures. Source: kubelet isResizeIncreasingRequests.
[[nodiscard]] bool increases_requests(const Pod& pod);

}  // namespace elbowroom::policy
