// Who makes room for a Deferred resize, and whom that costs. Room that is on its way is waited for
// and dealt out once, in retry order, before anybody else is chosen.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/node.h"
#include "policy/model/pod.h"
#include "policy/model/pod_text.h"
#include "policy/model/rules.h"
#include "policy/model/time.h"
#include "policy/preemption/budget_charge.h"
#include "policy/preemption/room_on_its_way.h"

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

// Why pods cannot go that no rule of ours spares, by uid.
using Unremovable = std::map<std::string, std::string, std::less<>>;

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
  const Unremovable* unremovable = nullptr;  // besides; nullptr: nobody
};

struct ChosenVictim {
  const Pod* pod = nullptr;
  bool violates_budget = false;
  std::string why{};
};

// Another pod of the node that stays.
struct SparedPod {
  const Pod* pod = nullptr;
  bool eligible = false;  // could have been chosen
  std::string why{};      // why it cannot go, or need not
};

struct ResizePreemption {
  RoomMaker by = RoomMaker::Nobody;
  PreemptionOutcome outcome = PreemptionOutcome::NotNeeded;
  Words message{};
  int budget_violations = 0;
  std::vector<ChosenVictim> victims{};  // most important first; critical pods': in kill order
  std::vector<SparedPod> considered{};  // every other pod that stays, by importance
};

// The plan for one of the Deferred pods of a node. `pod` points into the moment's pods.
struct PlannedResize {
  const Pod* pod = nullptr;
  ResizePreemption plan{};
};

// What is done for the pod of that uid, whose resize the node has judged Deferred, or would. It
// must be among `moment.pods`; for any other uid, and for a pod that fits by now, nothing is needed
// and nobody considered. By default rules the Deferred pods before it in retry order are planned
// first, and it sees what they take: their room, the room on its way, their victims. That those for
// whom no room is made, and pods nominated here, take what comes free is foreseen. By upstream's
// rules every pod is looked at by itself. Pods with a scheduling group are no victims. Source:
// KEP-5836; kube-scheduler SelectVictimsOnNode (1.37); kubelet preemption.go.
[[nodiscard]] ResizePreemption plan_resize_preemption(const NodeMoment& moment,
                                                      std::string_view uid);

// The same for every pod of the node whose condition says Deferred, in retry order.
[[nodiscard]] std::vector<PlannedResize> plan_resize_preemptions(const NodeMoment& moment);

[[nodiscard]] std::string_view to_string(RoomMaker maker);
[[nodiscard]] std::string_view to_string(PreemptionOutcome outcome);

}  // namespace elbowroom::policy
