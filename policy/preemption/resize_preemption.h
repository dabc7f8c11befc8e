// How room is made for a Deferred resize, and which victims that costs. Room on its way is awaited
// first. It is allotted once, in retry order, before any further victim is chosen.
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
#include "policy/model/unit.h"
#include "policy/preemption/budget_charge.h"
#include "policy/preemption/room_on_its_way.h"

namespace elbowroom::policy {

enum class RoomMaker { Nobody, Scheduler, Node };

enum class PreemptionOutcome {
  NotNeeded,        // it fits now and waits for the node
  Preempt,          // the victims are to be removed
  AwaitingVictims,  // room on its way is enough
  Disabled,         // the node's policy or a condition of the pod disables preemption
  PolicyNever,      // the pod's preemptionPolicy is Never
  NoVictims,        // no pod may be removed, or all potential victims together are not enough
};

// By uid: why a pod cannot be removed although no rule of ours spares it.
using Unremovable = std::map<std::string, std::string, std::less<>>;

// One node at one moment. Everything must outlive the call.
struct NodeMoment {
  const Node& node;
  std::span<const Pod> pods;       // all pods bound to the node, including the Deferred ones
  std::span<const Pod> nominated;  // pending pods with that nominated node
  const Budgets& budgets;
  const OverduePods& lapsed;
  RuleSet rules = RuleSet::Elbowroom;
  bool critical_by_node = false;  // the node itself makes room for its critical pods
  Time now{};
  const Unremovable* unremovable = nullptr;  // additional; nullptr: none
  // The pods on other nodes of the groups that have pods among `pods`; others are ignored.
  std::span<const Pod> elsewhere{};
  bool ignores_groups = false;  // every pod is a unit of one, as for a node, which knows no groups
};

// A pod of a unit that is removed. It may run on another node.
struct ChosenVictim {
  const Pod* pod = nullptr;
  std::int32_t priority = 0;     // the unit's
  bool violates_budget = false;  // the unit does
  std::string why{};
  std::string unit{};  // NAMESPACE/NAME of the group that is removed as a whole, else of the pod
};

// Another pod of the node, which stays.
struct SparedPod {
  const Pod* pod = nullptr;
  bool eligible = false;  // could have been chosen
  std::string why{};      // why it cannot be removed, or need not be
};

struct ResizePreemption {
  RoomMaker by = RoomMaker::Nobody;
  PreemptionOutcome outcome = PreemptionOutcome::NotNeeded;
  PodText message{};
  int budget_violations = 0;  // pods
  // Unit after unit: most important first; critical pods': in kill order.
  std::vector<ChosenVictim> victims{};
  std::vector<SparedPod> considered{};  // every other pod that stays, by importance
};

// The plan for one of the node's Deferred pods. `pod` points into the moment's pods.
struct PlannedResize {
  const Pod* pod = nullptr;
  ResizePreemption plan{};
};

// The plan for the pod of that uid, whose resize the node judged Deferred, or would. The pod must
// be among `moment.pods`. For any other uid, and for a pod that fits now, the plan is NotNeeded and
// considers no pod. By default rules the Deferred pods before it in retry order are planned first,
// and it sees what they take: their room, the room on its way, their victims. The plan predicts the
// freed room taken by pods nominated here and by Deferred pods for which no room is made. By
// upstream's rules every pod is planned independently. Units are removed or stay as one: a pod
// group of mode All is one unit, wherever its pods run. Source: KEP-5836, KEP-5710; kube-scheduler
// SelectVictimsOnNode (1.37); kubelet preemption.go.
[[nodiscard]] ResizePreemption plan_resize_preemption(const NodeMoment& moment,
                                                      std::string_view uid);

// The plans for all pods of the node whose condition says Deferred, in retry order.
[[nodiscard]] std::vector<PlannedResize> plan_resize_preemptions(const NodeMoment& moment);

[[nodiscard]] std::string_view to_string(RoomMaker maker);
[[nodiscard]] std::string_view to_string(PreemptionOutcome outcome);

}  // namespace elbowroom::policy
