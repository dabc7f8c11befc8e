// Who makes room for a Deferred resize, and whom that costs. The one thing to know: room that is on
// its way is waited for and dealt out once, in retry order, before anybody else is chosen.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/budget_charge.h"
#include "policy/node.h"
#include "policy/pod.h"
#include "policy/rules.h"
#include "policy/time.h"

namespace elbowroom::policy {

enum class RoomMaker { Nobody, Scheduler, Node };

enum class PreemptionOutcome {
  NotNeeded,        // it fits by now and waits for the node
  Preempt,          // the victims are to be removed
  AwaitingVictims,  // room on its way is enough
  Disabled,         // the node's policy or a condition of the pod forbids it
  PolicyNever,      // the pod's preemptionPolicy is Never
  NoVictims,        // nobody may be removed, or all who may would not be enough
};

// Whose patience has run out; decided by whoever owns a clock.
struct Lapsed {
  std::set<std::string, std::less<>> overdue{};        // uids: terminating past deadline + 30 s
  std::set<std::string, std::less<>> stuck_shrinks{};  // uids: shrinks that no longer count as done
};

// By wall time, for a decision about one moment: deletionTimestamp + 30 s; PodResizeInProgress
// older than 60 s.
[[nodiscard]] Lapsed lapsed_at(std::span<const Pod> pods, Time now);

// One node at one moment. Everything must live through the call.
struct NodeMoment {
  const Node& node;
  std::span<const Pod> pods;       // all pods bound to the node, the Deferred ones among them
  std::span<const Pod> nominated;  // pending pods with that nominated node
  const Budgets& budgets;
  const Lapsed& lapsed;
  RuleSet rules = RuleSet::Elbowroom;
  bool critical_by_node = false;  // the node itself makes room for critical pods
  Time now{};
};

struct ChosenVictim {
  const Pod* pod = nullptr;
  bool violates_budget = false;
  std::string why{};
};

struct SparedPod {
  const Pod* pod = nullptr;
  bool eligible = false;  // could have been chosen and was reprieved
  std::string why{};
};

struct ResizePreemption {
  RoomMaker by = RoomMaker::Nobody;
  PreemptionOutcome outcome = PreemptionOutcome::NotNeeded;
  std::string message{};
  int budget_violations = 0;
  std::vector<ChosenVictim> victims{};  // most important first; critical pods': in kill order
  std::vector<SparedPod> considered{};  // every other pod of the node, by importance
};

// What is done for the Deferred pod of that uid, which must be among `moment.pods`; the other
// Deferred pods before it in retry order are planned first, and it sees what they take. Source:
// design of KEP-5836; kube-scheduler SelectVictimsOnNode (1.37); kubelet preemption.go.
[[nodiscard]] ResizePreemption plan_resize_preemption(const NodeMoment& moment,
                                                      std::string_view uid);

[[nodiscard]] std::string_view to_string(RoomMaker maker);
[[nodiscard]] std::string_view to_string(PreemptionOutcome outcome);

}  // namespace elbowroom::policy
