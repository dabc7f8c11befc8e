// What the nodes of a cluster look like at one moment: how much is held, which resizes wait and
// what happens next, which pods leave and for which other pod, what budgets allow. `status`, `top`
// and the pages of the daemons show this value. It is made by the functions that decide and
// explain, so it agrees with `explain`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/node.h"
#include "policy/model/pod.h"
#include "policy/model/resources.h"
#include "policy/model/rules.h"
#include "policy/model/time.h"
#include "policy/preemption/budget_charge.h"
#include "policy/preemption/resize_preemption.h"
#include "policy/preemption/room_on_its_way.h"

namespace elbowroom::policy {

struct NodeOverview {
  std::string node{};
  NodeReady ready = NodeReady::Unstated;
  bool unschedulable = false;
  std::vector<std::string> policy_owners{};  // of its policy against preemption for resizes
  std::int64_t pods = 0;                     // that hold room
  Resources allocatable{};
  Resources held{};  // max(allocated, actual) of its pods
  Resources
      promised{};    // what its waiting resizes ask for beyond that; Infeasible ones do not count
  Resources free{};  // allocatable less held, >= 0

  friend bool operator==(const NodeOverview&, const NodeOverview&) = default;
};

// Unjudged: the node has not said anything about it yet.
enum class ResizeWait : std::uint8_t { Unjudged, Deferred, Infeasible, InProgress };
[[nodiscard]] std::string_view to_string(ResizeWait wait);
// None: nothing waits. Of pods that hold room and are not terminating.
[[nodiscard]] std::optional<ResizeWait> wait_of(const Pod& pod);

struct WaitingResize {
  std::string pod{};  // NAMESPACE/NAME
  std::string uid{};
  std::string node{};
  ResizeWait wait = ResizeWait::Unjudged;  // as the node says
  std::optional<Time> since{};
  Resources lacking{};  // zero: it fits now
  RoomMaker by = RoomMaker::Nobody;
  std::string outcome{};               // outcome_name()
  std::vector<std::string> victims{};  // NAMESPACE/NAME of the pods that would go
  std::string why{};                   // who makes room, or why nobody does; one sentence
  std::string next{};                  // what happens next
  // When its room is there, if all goes well; none unless that room is on its way already.
  std::optional<Time> expected{};

  friend bool operator==(const WaitingResize&, const WaitingResize&) = default;
};

// A terminating pod that holds room.
struct LeavingPod {
  std::string pod{};  // NAMESPACE/NAME
  std::string uid{};
  std::string node{};
  std::optional<Time> deadline{};
  bool overdue = false;
  std::string for_pod{};  // that it makes room for; "": it leaves for none that is known here
  Resources frees{};

  friend bool operator==(const LeavingPod&, const LeavingPod&) = default;
};

// A budget of either kind.
struct BudgetOverview {
  std::string budget{};  // "PodDisruptionBudget default/web"
  bool hard = false;
  std::int64_t pods = 0;                  // that it covers
  std::optional<std::int64_t> allowed{};  // disruptions now; none: no bound
  std::optional<Time> next{};  // where it allows none, and a rate says so alone: the next one

  friend bool operator==(const BudgetOverview&, const BudgetOverview&) = default;
};

// A removal that the ledger of a DisruptionBudget names; moves of the rescheduler are among them.
struct RecentRemoval {
  std::string pod{};  // NAMESPACE/NAME
  std::string uid{};
  Time time{};
  std::string by{};
  std::string budget{};

  friend bool operator==(const RecentRemoval&, const RecentRemoval&) = default;
};
inline constexpr std::size_t kMostRecentRemovals = 1'000;

struct Overview {
  Time now{};
  std::vector<NodeOverview> nodes{};      // by name, in natural order
  std::vector<WaitingResize> waiting{};   // node by node, in retry order
  std::vector<LeavingPod> leaving{};      // node by node, by name
  std::vector<BudgetOverview> budgets{};  // by name, in natural order
  std::vector<RecentRemoval> removals{};  // newest first; at most kMostRecentRemovals

  friend bool operator==(const Overview&, const Overview&) = default;
};

// One node with everything that its overview depends on. Everything must outlive the call only. As
// in ResizeQuestion.
struct NodeScene {
  const Node& node;
  const std::vector<Pod>& pods;  // all that are bound to the node
  std::span<const Pod> nominated{};
  const Budgets& budgets;
  const OverduePods& lapsed;
  RuleSet rules = RuleSet::Elbowroom;
  Time now{};
  std::span<const Pod> elsewhere{};
  const Unremovable* unremovable = nullptr;
  std::span<const std::string> lacks{};
};

// A whole cluster. `budgets` needs no pods.
struct ClusterScene {
  std::vector<Node> nodes{};
  std::vector<Pod> pods{};
  Budgets budgets{};
  RuleSet rules = RuleSet::Elbowroom;
  Time now{};
  std::vector<std::string> lacks{};  // as in ResizeQuestion
};
[[nodiscard]] Overview overview_of_cluster(ClusterScene scene);

// The part of one node, for callers that follow a cluster and look only at what has changed.
struct NodePart {
  NodeOverview node{};
  std::vector<WaitingResize> waiting{};
  std::vector<LeavingPod> leaving{};

  friend bool operator==(const NodePart&, const NodePart&) = default;
};
[[nodiscard]] NodePart overview_of_node(const NodeScene& scene);

// `budgets` has all pods that are counted.
[[nodiscard]] std::vector<BudgetOverview> overview_of_budgets(const Budgets& budgets, Time now);

// Those of the last hour.
[[nodiscard]] std::vector<RecentRemoval> recent_removals(const Budgets& budgets, Time now);

}  // namespace elbowroom::policy
