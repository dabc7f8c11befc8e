// Claims on freed room that are served before a Deferred resize: pods nominated to the node, and
// resizes that the node retries earlier. Each claim takes all it requests or nothing, so the result
// depends on how much room is freed and on the order of the claims.
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
  const PodOnNode* holder = nullptr;  // the resizing pod; nullptr: the claim is of a nominated pod
  Fit fit{};
  Resources own{};  // of a holder: what has to fit, without what it may share with other pods
};

// One bit for each claim, or for each pod of the node.
using Selection = std::vector<bool>;

// The claims before `deferred`: first the pods nominated to the node whose priority is not below
// its own, by priority and name; then `unserved`, the Deferred resizes before it in retry order for
// which no room is made. Both must outlive the returned claims.
[[nodiscard]] std::vector<RoomClaim> claims_before(const NodeMoment& moment,
                                                   const PodOnNode& deferred,
                                                   const std::vector<const PodOnNode*>& unserved);

// A possible later moment: some pods of the node are gone, and some claims are served.
struct FutureRoom {
  const std::vector<PodOnNode>& node_pods;
  const PodOnNode& deferred;  // its resize is not counted
  const std::vector<RoomClaim>& room_claims;

  // The sum over all pods but `but`, with the claims of `took` at what they request. What `but`
  // shares with others is its own.
  [[nodiscard]] ChargeSum used(const Selection& gone, const Selection& took,
                               const PodOnNode* but) const;

  // The claims that are served when they come in their order.
  [[nodiscard]] Selection taken_in_order(const Selection& gone) const;

  // The claims that, in some order, may all be served and then leave too little for `fit`; none if
  // there is no such set. With more than eight claims that could be served, all are assumed to be.
  [[nodiscard]] Selection blocking_claims(const Selection& gone, const Fit& fit) const;

 private:
  [[nodiscard]] bool can_take(const RoomClaim& room_claim, const Selection& gone,
                              const Selection& took) const;
};

}  // namespace elbowroom::policy
