// Why a pod has its present size: the decision about its resize, and the answers to the questions
// that follow from it. It is computed from the value that the daemons decide on; the command line
// and /explain print this value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/preemption/marked_pod.h"
#include "policy/resize/node_verdict.h"
#include "policy/resize/remedy.h"
#include "policy/resize/resize_report.h"

namespace elbowroom::policy {

// One container's figures.
struct ContainerSize {
  std::string container{};
  ContainerKind kind = ContainerKind::Regular;
  Requirements desired{};
  Resources allocated{};
  Resources actual{};
  std::optional<Resources> actual_limits{};

  friend bool operator==(const ContainerSize&, const ContainerSize&) = default;
};

// Why another pod holds its room. Parallel to ResizeReport::holders.
struct HoldingReason {
  std::string why{};
  std::optional<Time> until{};  // its deletion deadline

  friend bool operator==(const HoldingReason&, const HoldingReason&) = default;
};

// Room on its way.
struct PendingRoom {
  std::string pod{};
  std::string uid{};
  bool leaves = false;  // otherwise it shrinks
  Resources frees{};
  std::optional<Time> expected{};  // at the latest, if all goes well
  bool counts = true;              // false: overdue or stuck, and not relied on
  std::string why{};

  friend bool operator==(const PendingRoom&, const PendingRoom&) = default;
};

// A budget that covers pods which could otherwise be removed.
struct BudgetSummary {
  std::string budget{};  // "PodDisruptionBudget default/web"
  bool hard = false;
  std::optional<std::int64_t> allowed{};  // none: no bound
  std::vector<std::string> pods{};

  friend bool operator==(const BudgetSummary&, const BudgetSummary&) = default;
};

// Which component acts next, and when the resize is re-evaluated.
struct NextStep {
  RoomMaker by = RoomMaker::Nobody;
  std::string text{};
  std::vector<std::string> again_when{};
  std::optional<Time> expected{};

  friend bool operator==(const NextStep&, const NextStep&) = default;
};

// The pod group that the pod names.
struct GroupMembership {
  std::string group{};                      // NAMESPACE/NAME
  std::optional<GroupStanding> standing{};  // none: it does not exist, or is not known here
  std::string waits_for{};                  // what the group waits for; "": nothing, or not known

  friend bool operator==(const GroupMembership&, const GroupMembership&) = default;
};

struct Explanation {
  ResizeReport report{};
  Time now{};
  std::string summary{};
  std::int32_t priority = 0;  // that counts: the group's, else the pod's own
  std::int32_t own_priority = 0;
  std::optional<GroupMembership> group{};
  std::optional<Time> since{};
  std::vector<ContainerSize> containers{};
  NodeVerdict node{};
  std::vector<HoldingReason> holding{};
  std::vector<PendingRoom> coming{};
  std::vector<BudgetSummary> budgets{};
  std::vector<MarkedPod> marks{};  // of all pods of the node
  std::vector<Remedy> remedies{};
  NextStep next{};

  friend bool operator==(const Explanation&, const Explanation&) = default;
};

// `report` answers the question: report_resize(question), or what a daemon decided.
[[nodiscard]] Explanation explain(const ResizeQuestion& question, ResizeReport report);
// The same without remedies, which cost far more than the rest.
[[nodiscard]] Explanation explain_without_remedies(const ResizeQuestion& question,
                                                   ResizeReport report);

[[nodiscard]] std::string_view to_string(ContainerKind kind);

}  // namespace elbowroom::policy
