// Where a pending pod is placed, and which victims that costs. One function decides, over the room
// of a cluster, for both simulate and the daemon. What is printed and what is done come from the
// same value.
//
//   filter every node (with the pods nominated there of equal or higher priority, and without)
//     some fit          -> score them; the best one binds; ties by name
//     none, room leaves -> AwaitingVictims; not if it leaves late and another node is possible
//     none              -> compute the victims on every node where preemption may help; choose the
//                          node with the least harm
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/node.h"
#include "policy/model/pod.h"
#include "policy/model/rules.h"
#include "policy/model/time.h"
#include "policy/model/volume.h"
#include "policy/placement/cluster_room.h"
#include "policy/placement/refusal.h"
#include "policy/placement/want.h"
#include "policy/preemption/budget_charge.h"
#include "policy/preemption/room_on_its_way.h"
#include "policy/preemption/victim_report.h"

namespace elbowroom::policy {

enum class SchedulingResult { Bind, Preempt, AwaitingVictims, Unschedulable };

// A node where removing pods would make the pod fit, whether or not it is chosen.
struct PlacementCandidate {
  std::vector<std::string> victims{};  // pods, unit after unit, most important first
  int budget_violations = 0;

  friend bool operator==(const PlacementCandidate&, const PlacementCandidate&) = default;
};

// What the filters return for one node, before any preemption.
struct NodeAnswer {
  std::string node{};
  NodeCode code = NodeCode::Success;
  std::vector<std::string> reasons{};
  std::optional<std::int64_t> score{};  // only with Success
  std::optional<PlacementCandidate> candidate{};

  friend bool operator==(const NodeAnswer&, const NodeAnswer&) = default;
};

struct SchedulingDecision {
  std::string pod{};
  SchedulingResult result = SchedulingResult::Unschedulable;
  std::string node{};                   // the node the pod binds to or is nominated to; "" for none
  std::vector<VictimReport> victims{};  // pods, unit after unit, most important first
  int budget_violations = 0;
  std::string message{};
  VolumePlan volumes{};  // with Bind: what must be bound first
  // With Preempt and AwaitingVictims: the lower-priority pods nominated to `node` whose nominations
  // this decision ends. By default rules those that do not fit beside the pod; by upstream's rules
  // all. NAMESPACE/NAME, sorted.
  std::vector<std::string> outranked{};
  // One per node, by name; only where requested.
  std::vector<NodeAnswer> nodes{};
  // With Unschedulable, where requested: what the pod waits for.
  std::optional<Want> want{};

  friend bool operator==(const SchedulingDecision&, const SchedulingDecision&) = default;
};

// Nodes that a pod must not be placed on now, each with the reason that the filters report.
using AvoidedByName = std::map<std::string, std::string, std::less<>>;

// The inputs of a decision besides the room and the pod.
struct ScheduleTerms {
  Time now{};            // entries of nodes to avoid count until their times
  OverduePods lapsed{};  // pods whose time to leave has expired
  // A pod that leaves later than this is not awaited where victims on another node are possible.
  // None: every leaving pod is awaited.
  std::optional<Time> waits_until{};
  bool all_nodes = false;   // fill SchedulingDecision::nodes
  bool asks_want = false;   // fill SchedulingDecision::want
  AvoidedByName avoided{};  // for this pod; of a gang: for each of its pods
  // Of a gang: what some of its pods avoid besides, by their uids.
  std::map<std::string, AvoidedByName, std::less<>> avoided_by_pod{};
  // Nodes where no pod may be removed now; "*" for all.
  std::set<std::string, std::less<>> no_victims_on{};
  // Uids of pods that cannot be removed now.
  std::set<std::string, std::less<>> unremovable{};
  // The only node where pods may be removed; "": every node. For a second look at one choice.
  std::string removes_only_on{};
};

// What the member of a gang avoids besides ScheduleTerms::avoided; nullptr: nothing.
[[nodiscard]] const AvoidedByName* avoided_besides(const ScheduleTerms& terms, const Pod& pod);

// Others wait for a terminating pod only if its deadline is at most this far away.
inline constexpr std::chrono::minutes kLongestAwaited{10};

// Requires a pending pod. The pod's own nomination, and the pod itself if it was added, do not
// count against it. Not const: it builds label columns on demand.
[[nodiscard]] SchedulingDecision schedule(ClusterRoom& room, const Pod& pod,
                                          const ScheduleTerms& terms);

// A whole cluster at one moment, for one-off decisions. Everything must outlive the call.
struct ClusterMoment {
  std::span<const Node> nodes;
  std::span<const Pod> pods;  // all pods; may include the pod to schedule
  const Budgets& budgets;     // cluster_pods is not needed
  std::map<std::string, Labels, std::less<>> namespaces{};
  std::span<const Selecting> selecting{};  // which pods belong together
  const VolumeObjects* volumes = nullptr;  // nullptr: there are none
  RuleSet rules = RuleSet::Elbowroom;
  Time now{};
};

// The same, on a room built from the moment, with all nodes.
[[nodiscard]] SchedulingDecision schedule(const ClusterMoment& moment, const Pod& pod);
[[nodiscard]] ClusterRoom room_of(const ClusterMoment& moment);

[[nodiscard]] std::string_view to_string(SchedulingResult result);
[[nodiscard]] std::string_view to_string(NodeCode code);

}  // namespace elbowroom::policy
