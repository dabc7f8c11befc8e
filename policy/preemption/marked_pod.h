// The pods of a node that are marked for removal, or terminating, so that another pod can grow. A
// mark is stale once its resize no longer waits; the leading scheduler then clears it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "policy/model/pod.h"
#include "policy/preemption/resize_preemption.h"

namespace elbowroom::policy {

struct MarkedPod {
  std::string pod{};
  std::string uid{};
  RoomMaker by = RoomMaker::Scheduler;
  std::string for_pod{};  // "" where no pod of that uid is on the node
  std::string for_uid{};
  std::int64_t generation = 0;  // of the resize that the mark is for
  bool leaves = false;          // it is terminating
  bool stands = false;          // the resize is still Deferred

  friend bool operator==(const MarkedPod&, const MarkedPod&) = default;
};

// The marked pods among `pods`, in the same order. `pods` are those of one node.
[[nodiscard]] std::vector<MarkedPod> marked_pods(std::span<const Pod> pods);

}  // namespace elbowroom::policy
