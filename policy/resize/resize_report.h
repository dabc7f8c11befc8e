// The full report on one pod's resize at one moment: the verdict, the sums behind it, the
// conditions after it, the pods that hold the room, and the victims. Simulate and /explain print
// this value, so they cannot disagree with the daemons.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/charge.h"
#include "policy/model/condition.h"
#include "policy/model/node.h"
#include "policy/model/pod.h"
#include "policy/model/rules.h"
#include "policy/model/time.h"
#include "policy/preemption/removed_groups.h"
#include "policy/preemption/resize_preemption.h"
#include "policy/preemption/victim_report.h"
#include "policy/resize/resize.h"

namespace elbowroom::policy {

// The input: `pod` is one of the pods of `node`. Everything must outlive the call only.
struct ResizeQuestion {
  const Node& node;
  const std::vector<Pod>& pods;  // all pods bound to the node, including `pod` (by uid)
  const Pod& pod;
  std::span<const Pod> nominated;  // pending pods with that nominated node
  const Budgets& budgets;
  const OverduePods& lapsed;
  ManagerPolicies managers{};
  RuleSet rules = RuleSet::Elbowroom;
  Time now{};
  // The pods on other nodes of the groups that have pods on this one, and, by uid, why a pod of any
  // node cannot be removed; nullptr: none.
  std::span<const Pod> elsewhere{};
  const Unremovable* unremovable = nullptr;
  // What decides who goes and is not known here, in words: "disruption budgets, ...".
  std::span<const std::string> lacks{};
};

// A pod that holds room, other than the resizing pod.
struct RoomHolder {
  std::string pod{};
  std::string uid{};
  std::int32_t priority = 0;
  Qos qos = Qos::BestEffort;
  bool terminating = false;
  Resources held{};

  friend bool operator==(const RoomHolder&, const RoomHolder&) = default;
};

// A pod that stays.
struct SparedReport {
  std::string pod{};
  std::string uid{};
  bool eligible = false;  // it was a potential victim
  std::string why{};

  friend bool operator==(const SparedReport&, const SparedReport&) = default;
};

// What makes room and how; "nobody" and empty lists unless the verdict is Deferred.
struct PreemptionReport {
  RoomMaker by = RoomMaker::Nobody;
  PreemptionOutcome outcome = PreemptionOutcome::NotNeeded;
  std::string message{};
  int budget_violations = 0;
  std::vector<VictimReport> victims{};
  std::vector<SparedReport> considered{};
  // What the removal means for the victims' groups. Told to people; nothing is decided by it.
  std::vector<RemovedGroup> whole_groups{};
  std::vector<DepletedGang> below_min_count{};
  // The question's, unless nothing is Deferred. Where pods would be removed, none is named then.
  std::vector<std::string> lacks{};

  friend bool operator==(const PreemptionReport&, const PreemptionReport&) = default;
};

struct ResizeReport {
  std::string pod{};
  std::string uid{};
  std::string node{};
  ResizeDecision decision{};
  Totals totals{};  // before the decision
  Resources allocatable{};
  Resources others{};  // the sum of what the holders hold
  Conditions conditions{};
  std::vector<RoomHolder> holders{};  // the largest holders of what is lacking first, then by name
  PreemptionReport preemption{};
  // The node's policy against preemption for resizes: its owners, and the malformed entries.
  std::vector<std::string> policy_owners{};
  std::vector<std::string> malformed_owners{};

  friend bool operator==(const ResizeReport&, const ResizeReport&) = default;
};

// No pod is removed, for that reason: the victims are pods that stay.
void spare_victims(PreemptionReport& report, const std::string& why);

// The outcome's name; "NotKnown" where pods would be removed unless something spares them that is
// not known here.
[[nodiscard]] std::string_view outcome_name(const PreemptionReport& preemption);

// Who makes room and how, or why nobody does, in one sentence without a full stop. `by` and
// `outcome` are names as a document has them.
[[nodiscard]] std::string room_sentence(std::string_view by, std::string_view outcome,
                                        std::string_view message, std::string_view violations);

// Reads question.node's critical_preemption_by_node to determine what makes room for critical pods.
[[nodiscard]] ResizeReport report_resize(const ResizeQuestion& question);

}  // namespace elbowroom::policy
