// Where a pending pod goes, and whom that costs. One function decides, over the room of a cluster,
// for simulate and for the daemon; what is printed and what is done come from the same value.
//
//   filter every node (with the pods nominated there of equal or higher priority, and without)
//     some fit          -> score them, the best one binds; ties by name
//     none, room leaves -> AwaitingVictims; not if it leaves late and another node would do
//     none              -> on every node where it may help, who would have to go; the node with the
//                          least harm
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
#include "policy/placement/cluster_room.h"
#include "policy/preemption/budget_charge.h"
#include "policy/preemption/room_on_its_way.h"
#include "policy/preemption/victim_report.h"

namespace elbowroom::policy {

enum class SchedulingResult { Bind, Preempt, AwaitingVictims, Unschedulable };

enum class NodeCode { Success, Unschedulable, UnschedulableAndUnresolvable };

// A node where removing pods would make the pod fit, whether that comes to pass or not.
struct PlacementCandidate {
  std::vector<std::string> victims{};  // most important first
  int budget_violations = 0;

  friend bool operator==(const PlacementCandidate&, const PlacementCandidate&) = default;
};

// What the filters say of one node, before any preemption.
struct NodeAnswer {
  std::string node{};
  NodeCode code = NodeCode::Success;
  std::vector<std::string> reasons{};
  std::optional<std::int64_t> score{};  // for Success
  std::optional<PlacementCandidate> candidate{};

  friend bool operator==(const NodeAnswer&, const NodeAnswer&) = default;
};

struct SchedulingDecision {
  std::string pod{};
  SchedulingResult result = SchedulingResult::Unschedulable;
  std::string node{};                   // where it binds, or that it is nominated to; "" for none
  std::vector<VictimReport> victims{};  // most important first
  int budget_violations = 0;
  std::string message{};
  // With Preempt and AwaitingVictims: pods of lower priority that are nominated to `node`, whose
  // nominations this one ends: those that do not fit there beside it; by upstream's rules all.
  // NAMESPACE/NAME, sorted.
  std::vector<std::string> outranked{};
  // Of every node, by name; only where they are asked for.
  std::vector<NodeAnswer> nodes{};

  friend bool operator==(const SchedulingDecision&, const SchedulingDecision&) = default;
};

// What a decision depends on beside the room and the pod.
struct ScheduleTerms {
  Lapsed lapsed{};  // whose time to leave is over
  // Who leaves later than that is not waited for where pods of another node could go instead; none:
  // everybody is waited for.
  std::optional<Time> waits_until{};
  bool all_nodes = false;  // fill SchedulingDecision::nodes
  // Nodes that are not for this pod now, each with the reason that filters give for it.
  std::map<std::string, std::string, std::less<>> avoided{};
  // Nodes where nobody is to be removed now; "*" for all.
  std::set<std::string, std::less<>> nobody_goes_on{};
  // Uids of pods that cannot be removed now.
  std::set<std::string, std::less<>> unremovable{};
  // Where anybody may be removed at all; "": on every node. For a second look at one choice.
  std::string removes_only_on{};
};

// How far away the deadline of a pod on its way out may be for others to wait for it.
inline constexpr std::chrono::minutes kLongestAwaited{10};

// Requires a pending pod. A nomination of the pod itself, and the pod where it was added, do not
// count against it. Not const: what is looked up by label is prepared on the way.
[[nodiscard]] SchedulingDecision schedule(ClusterRoom& room, const Pod& pod,
                                          const ScheduleTerms& terms);

// A whole cluster at one moment, for decisions that are made once. Everything must live through the
// call.
struct ClusterMoment {
  std::span<const Node> nodes;
  std::span<const Pod> pods;  // all of them, the one that is asked for among them or not
  const Budgets& budgets;     // cluster_pods are not needed
  std::map<std::string, Labels, std::less<>> namespaces{};
  RuleSet rules = RuleSet::Elbowroom;
  Time now{};
};

// The same, of a room that is made of the moment, with all nodes.
[[nodiscard]] SchedulingDecision schedule(const ClusterMoment& moment, const Pod& pod);
[[nodiscard]] ClusterRoom room_of(const ClusterMoment& moment);

[[nodiscard]] std::string_view to_string(SchedulingResult result);
[[nodiscard]] std::string_view to_string(NodeCode code);

}  // namespace elbowroom::policy
