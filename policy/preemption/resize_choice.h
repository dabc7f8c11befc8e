// What was decided about one Deferred resize, unit by unit, and how it becomes a plan that names
// pods. The choice itself is made in resize_preemption.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "policy/model/pod.h"
#include "policy/model/pod_text.h"
#include "policy/model/resources.h"
#include "policy/model/unit.h"
#include "policy/preemption/node_pods.h"
#include "policy/preemption/preemption_messages.h"
#include "policy/preemption/resize_preemption.h"

namespace elbowroom::policy {

struct ResizeChoice {
  RoomMaker by = RoomMaker::Nobody;
  PreemptionOutcome outcome = PreemptionOutcome::NotNeeded;
  PodText message{};
  Resources needs{};  // what was lacking
  // Potential victims, most important first, with the decision about each; and, parallel to them,
  // the number of each among the units of the node.
  std::vector<Rated> rated{};
  std::vector<std::size_t> rated_units{};
  std::vector<Unit<Pod>> kill_order{};
  // By unit of the node: why it cannot be a victim. Empty: not evaluated.
  std::vector<std::string> why_not{};
  bool gets_room = false;  // sooner or later, so later pods cannot take it
};

// The choice to remove the units of its kill order, with its message.
[[nodiscard]] ResizeChoice finished(ResizeChoice choice);

// The plan for `deferred`: every pod of the units that are removed, and every other pod of the node
// with the reason why it stays.
[[nodiscard]] ResizePreemption described(const NodeMoment& moment,
                                         const std::vector<PodOnNode>& node_pods,
                                         const NodeUnits& node_units, const PodOnNode& deferred,
                                         const ResizeChoice& choice);

}  // namespace elbowroom::policy
