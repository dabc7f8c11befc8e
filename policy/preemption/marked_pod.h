// The pods of a node that are marked to go, or go, so that another can grow: what was begun, and
// for whom. A mark whose resize waits no more means nothing; whoever leads takes it back.
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
  std::int64_t generation = 0;  // of the resize that it is for
  bool leaves = false;          // asked to go
  bool stands = false;          // that resize is Deferred still

  friend bool operator==(const MarkedPod&, const MarkedPod&) = default;
};

// In the order of `pods`, which are those of one node.
[[nodiscard]] std::vector<MarkedPod> marked_pods(std::span<const Pod> pods);

}  // namespace elbowroom::policy
