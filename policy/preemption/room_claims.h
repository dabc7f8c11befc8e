// Who takes room that comes free before a Deferred resize can: pods nominated to the node, and
// resizes that the node tries earlier. Each takes all that it asks for or nothing, so that what
// they take depends on how much comes free, and in which order they come.
#pragma once

#include <vector>

#include "policy/model/pod.h"
#include "policy/model/resources.h"
#include "policy/preemption/fit.h"
#include "policy/preemption/node_pods.h"
#include "policy/preemption/resize_preemption.h"

namespace elbowroom::policy {

struct RoomClaim {
  const Pod* pod = nullptr;
  const PodOnNode* holder = nullptr;  // of the resize; nullptr: the pod is nominated here
  Fit fit{};
};

// One bit for each of some takers, or of some occupants.
using Selection = std::vector<bool>;

// The pods nominated to the node with a priority that is not below that of `deferred`, by priority
// and name, then `unserved`: the Deferred resizes before it in retry order for which no room is
// made. Both must outlive what is returned.
[[nodiscard]] std::vector<RoomClaim> claims_before(const NodeMoment& moment,
                                                   const PodOnNode& deferred,
                                                   const std::vector<const PodOnNode*>& unserved);

// A moment that may come: some occupants are gone, some takers have taken.
struct RoomLater {
  const std::vector<PodOnNode>& node_pods;
  const PodOnNode& deferred;  // whose resize is not there yet
  const std::vector<RoomClaim>& room_claims;

  // The sum over all but `but`, with the takers of `took` at what they asked for.
  [[nodiscard]] Resources used(const Selection& gone, const Selection& took,
                               const PodOnNode* but) const;

  // What they take when they come in their order.
  [[nodiscard]] Selection taken_in_order(const Selection& gone) const;

  // Takers that may all take what comes free, in whatever order they come, and then leave too
  // little for `fit`; none are selected when there are no such. Of more than eight who could take,
  // all are thought to.
  [[nodiscard]] Selection spoilers(const Selection& gone, const Fit& fit) const;

 private:
  [[nodiscard]] bool can_take(const RoomClaim& room_claim, const Selection& gone,
                              const Selection& took) const;
};

}  // namespace elbowroom::policy
