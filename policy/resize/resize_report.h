// Everything there is to say about one pod's resize at one moment: the verdict, the sums it rests
// on, the conditions after it, who holds the room, and who would have to go. Simulate and /explain
// print this very value, so they cannot disagree with the daemons.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "policy/model/charge.h"
#include "policy/model/condition.h"
#include "policy/model/node.h"
#include "policy/model/pod.h"
#include "policy/model/rules.h"
#include "policy/model/time.h"
#include "policy/preemption/resize_preemption.h"
#include "policy/preemption/victim_report.h"
#include "policy/resize/resize.h"

namespace elbowroom::policy {

// What is asked: `pod` is one of the pods of `node`. All of it must outlive the call only.
struct ResizeQuestion {
  const Node& node;
  const std::vector<Pod>& pods;  // every pod bound to the node, `pod` among them by uid
  const Pod& pod;
  std::span<const Pod> nominated;  // pending pods with that nominated node
  const Budgets& budgets;
  const Lapsed& lapsed;
  ManagerPolicies managers{};
  RuleSet rules = RuleSet::Elbowroom;
  Time now{};
};

// A pod that holds room, the resizing one excepted.
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
  bool eligible = false;  // it could have gone
  std::string why{};

  friend bool operator==(const SparedReport&, const SparedReport&) = default;
};

// Who makes room; "nobody" and empty lists unless the verdict is Deferred.
struct PreemptionReport {
  RoomMaker by = RoomMaker::Nobody;
  PreemptionOutcome outcome = PreemptionOutcome::NotNeeded;
  std::string message{};
  int budget_violations = 0;
  std::vector<VictimReport> victims{};
  std::vector<SparedReport> considered{};

  friend bool operator==(const PreemptionReport&, const PreemptionReport&) = default;
};

struct ResizeReport {
  std::string pod{};
  std::string uid{};
  std::string node{};
  ResizeDecision decision{};
  Totals totals{};  // as they were before the decision
  Resources allocatable{};
  Resources others{};  // what the holders hold together
  Conditions conditions{};
  std::vector<RoomHolder> holders{};  // most of what is lacking first, then by name
  PreemptionReport preemption{};
  // The node's policy against preemption for resizes: who set it, and which entries are malformed.
  std::vector<std::string> policy_owners{};
  std::vector<std::string> malformed_owners{};

  friend bool operator==(const ResizeReport&, const ResizeReport&) = default;
};

// Requires question.node's critical_preemption_by_node to say who makes room for critical pods.
[[nodiscard]] ResizeReport report_resize(const ResizeQuestion& question);

}  // namespace elbowroom::policy
