// The pods of a node while room is made for its Deferred resizes: what each one is counted at, and
// who of them could go. The one thing to know: here is where the two rule sets differ in what they
// count; the choice itself is the same code for both.
#pragma once

#include <string>
#include <vector>

#include "policy/charge.h"
#include "policy/fit.h"
#include "policy/pod.h"
#include "policy/resize_preemption.h"
#include "policy/resources.h"

namespace elbowroom::policy {

// A pod that counts on the node. By default rules it holds room; upstream counts every pod that has
// not finished.
struct Occupant {
  const Pod* pod = nullptr;
  Totals totals{};
  Resources held{};          // now
  Resources charge{};        // as the plan counts it: nothing once it leaves or makes room
  bool leaving = false;      // on its way out, in time (default rules)
  bool makes_room = false;   // chosen for a Deferred pod before
  const Pod* for_whom = {};  // that pod
};

// Every pod that counts, most important first.
[[nodiscard]] std::vector<Occupant> occupants_of(const NodeMoment& moment);

// What is to fit for that pod's resize. Default: the resources that it raises. Upstream: all that
// it requests, and pod slots, its own one counted twice.
[[nodiscard]] Fit fit_of(const NodeMoment& moment, const Occupant& deferred);

// The sums over all the others: of what they hold now, and of what the plan counts them at.
[[nodiscard]] Resources held_beside(const std::vector<Occupant>& occupants,
                                    const Occupant& deferred);
[[nodiscard]] Resources charged_beside(const std::vector<Occupant>& occupants,
                                       const Occupant& deferred);

// What pending pods nominated here get first when the others use `charged`: those of equal or
// higher priority, of what is or comes free. What they lack beyond that is not this resize's to
// clear; upstream counts them whole.
[[nodiscard]] Resources promised_before(const NodeMoment& moment, const Occupant& deferred,
                                        const Resources& charged);

// Why each of the occupants can be no victim for that pod's resize; "" for those who can, and for
// the pod itself.
[[nodiscard]] std::vector<std::string> obstacles(const NodeMoment& moment,
                                                 const std::vector<Occupant>& occupants,
                                                 const Occupant& deferred);

}  // namespace elbowroom::policy
