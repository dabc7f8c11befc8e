// Everything there is to say about one pod's resize at one moment: the verdict, the sums it rests
// on, the conditions after it, who holds the room, and who would have to go. The one thing to know:
// simulate and /explain print this very value, so they cannot disagree with the daemons.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "policy/charge.h"
#include "policy/condition.h"
#include "policy/node.h"
#include "policy/pod.h"
#include "policy/resize.h"
#include "policy/time.h"

namespace elbowroom::policy {

// What is asked: `pod` is one of the pods of `node`. All of it must outlive the call only.
struct ResizeQuestion {
  const Node& node;
  const std::vector<Pod>& pods;  // every pod bound to the node, `pod` among them by uid
  const Pod& pod;
  ManagerPolicies managers{};
  Time now{};
};

// A pod that holds room, the resizing one excepted.
struct RoomHolder {
  std::string pod{};
  std::string uid{};
  std::int32_t priority = 0;
  Qos qos = Qos::BestEffort;
  bool terminating = false;
  Resources held{};

  friend bool operator==(const RoomHolder&, const RoomHolder&) = default;
};

struct ResizeReport {
  std::string pod{};
  std::string uid{};
  std::string node{};
  ResizeDecision decision{};
  Totals totals{};  // as they were before the decision
  Resources allocatable{};
  Resources others{};  // what the holders hold together
  Conditions conditions{};
  std::vector<RoomHolder> holders{};  // most of what is lacking first, then by name

  friend bool operator==(const ResizeReport&, const ResizeReport&) = default;
};

[[nodiscard]] ResizeReport report_resize(const ResizeQuestion& question);

}  // namespace elbowroom::policy
