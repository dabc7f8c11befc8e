// The pods of a node while room is made for its Deferred resizes: how each pod is charged, which
// units the pods form, and which units may be victims. The two rule sets differ in what they count,
// and only here; the choice itself is the same code for both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "policy/model/charge.h"
#include "policy/model/pod.h"
#include "policy/model/resources.h"
#include "policy/model/unit.h"
#include "policy/preemption/fit.h"
#include "policy/preemption/node_groups.h"
#include "policy/preemption/resize_preemption.h"

namespace elbowroom::policy {

// A pod that counts on the node. By default rules only pods that hold room count; by upstream's
// rules every pod that has not finished.
struct PodOnNode {
  const Pod* pod = nullptr;
  Totals totals{};
  Resources held{};                        // now, without its claims
  Resources charge{};                      // in the plan; nothing once it leaves or makes room
  std::vector<ClaimedResources> claims{};  // shareable_claims(), beside both
  bool leaving = false;                    // terminating, and in time (default rules)
  bool makes_room = false;                 // already chosen as a victim for a Deferred pod
  const Pod* makes_room_for_pod = {};      // the pod it makes room for

  // Its claims in the plan.
  [[nodiscard]] const std::vector<ClaimedResources>& planned_claims() const {
    static const std::vector<ClaimedResources> none;
    return leaving || makes_room ? none : claims;
  }
};

// All pods that count, most important first.
[[nodiscard]] std::vector<PodOnNode> node_pods_of(const NodeMoment& moment);

// The units that a node's pods form, most important first, and where the pods of each unit are in
// the list of the node's pods.
struct NodeUnits {
  std::vector<Unit<Pod>> units{};
  std::vector<std::uint32_t> places{};  // in the list of pods, unit after unit
  std::vector<std::uint32_t> ends{};    // of each unit in `places`

  [[nodiscard]] std::span<const std::uint32_t> places_of(std::size_t unit) const {
    const std::size_t first = unit == 0 ? 0 : ends[unit - 1];
    return std::span(places).subspan(first, ends[unit] - first);
  }
};

// A pod of one of the groups belongs to the unit of that group; any other pod is a unit of one. The
// units refer into the moment and the groups.
[[nodiscard]] NodeUnits units_of(const NodeMoment& moment, const NodeGroups& groups,
                                 const std::vector<PodOnNode>& node_pods);

// A pod that awaits admission, in the form in which its node judges it: nothing is allocated to it.
// It holds none of the pods that the node may run.
[[nodiscard]] bool arrives(const Pod& pod);

// What must fit for that pod's resize. Default: the resources that the resize raises, and a pod
// slot where the node makes room for a pod that arrives. Upstream: all requests of the pod, and pod
// slots, with its own slot counted twice.
[[nodiscard]] Fit fit_of(const NodeMoment& moment, const PodOnNode& deferred);

// The sum of what all other pods hold now.
[[nodiscard]] Resources held_beside(const std::vector<PodOnNode>& node_pods,
                                    const PodOnNode& deferred);

// Whether a pod nominated to the node takes precedence over that Deferred resize.
[[nodiscard]] bool comes_first(const Pod& nominated, const Pod& deferred);

// Upstream's rules: the sum of all their requests, whether or not there is room for them.
[[nodiscard]] Resources nominated_before(const NodeMoment& moment, const PodOnNode& deferred);

// Why each of the units cannot be a victim for that pod's resize; "" for units that can, and for
// the pod itself. Any pod of a unit, wherever it runs, can be what forbids it.
[[nodiscard]] std::vector<std::string> obstacles(const NodeMoment& moment,
                                                 const std::vector<PodOnNode>& node_pods,
                                                 const NodeUnits& node_units,
                                                 const PodOnNode& deferred);

}  // namespace elbowroom::policy
