// The pods of a node while room is made for its Deferred resizes: what each one is counted at, and
// who of them could go. Here is where the two rule sets differ in what they count; the choice
// itself is the same code for both.
#pragma once

#include <string>
#include <vector>

#include "policy/model/charge.h"
#include "policy/model/pod.h"
#include "policy/model/resources.h"
#include "policy/preemption/fit.h"
#include "policy/preemption/resize_preemption.h"

namespace elbowroom::policy {

// A pod that counts on the node. By default rules it holds room; upstream counts every pod that has
// not finished.
struct PodOnNode {
  const Pod* pod = nullptr;
  Totals totals{};
  Resources held{};          // now
  Resources charge{};        // as the plan counts it: nothing once it leaves or makes room
  bool leaving = false;      // on its way out, in time (default rules)
  bool makes_room = false;   // chosen for a Deferred pod before
  const Pod* for_whom = {};  // that pod
};

// Every pod that counts, most important first.
[[nodiscard]] std::vector<PodOnNode> node_pods_of(const NodeMoment& moment);

// What is to fit for that pod's resize. Default: the resources that it raises. Upstream: all that
// it requests, and pod slots, its own one counted twice.
[[nodiscard]] Fit fit_of(const NodeMoment& moment, const PodOnNode& deferred);

// The sum over all the others of what they hold now.
[[nodiscard]] Resources held_beside(const std::vector<PodOnNode>& node_pods,
                                    const PodOnNode& deferred);

// Whether a pod that is nominated to the node comes before that Deferred resize.
[[nodiscard]] bool comes_first(const Pod& nominated, const Pod& deferred);

// Upstream's rules: what all of them ask for, whether it is there or not.
[[nodiscard]] Resources nominated_before(const NodeMoment& moment, const PodOnNode& deferred);

// Why each of the occupants can be no victim for that pod's resize; "" for those who can, and for
// the pod itself.
[[nodiscard]] std::vector<std::string> obstacles(const NodeMoment& moment,
                                                 const std::vector<PodOnNode>& node_pods,
                                                 const PodOnNode& deferred);

}  // namespace elbowroom::policy
