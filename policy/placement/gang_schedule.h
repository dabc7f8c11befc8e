// Where the members of a gang are placed, and which victims that costs. A gang is a pod group whose
// pods run together or not at all. One function decides for all its members at one moment, for both
// simulate and the daemon.
//
//   place every member, where it fits now            at least minCount -> Bind
//   the same, once the leaving pods are gone         at least minCount -> AwaitingVictims
//   the same, with every unit of lower priority gone fewer -> Unschedulable, no pod is removed
//     where it is enough without the units that violate a PodDisruptionBudget, these stay
//     the lowest ceiling of priorities that is enough: units above it stay
//     place the members one by one where they do the least harm
//     put back every unit beside which the placement still fits -> Preempt
//
// Source: KEP-4671; KEP-5710, "Preemption algorithm"; kube-scheduler podgrouppreemption (1.37).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "policy/model/pod.h"
#include "policy/model/pod_group.h"
#include "policy/placement/cluster_room.h"
#include "policy/placement/schedule.h"
#include "policy/preemption/victim_report.h"

namespace elbowroom::policy {

// A gang at one moment.
struct Gang {
  std::string key{};  // NAMESPACE/NAME
  GroupStanding standing{};
  // Its pods without a node and without scheduling gates, in any order; they say Pod::group.
  std::vector<Pod> pending{};
  // Those with scheduling gates, NAMESPACE/NAME, in any order.
  std::vector<std::string> gated{};
  // Its pods that have a node. No terminating or finished pod is here.
  std::size_t bound = 0;
  bool is_leaving = false;  // the group is being deleted: no pod is removed for it
};

struct MemberPlacement {
  std::string pod{};  // NAMESPACE/NAME
  std::string uid{};
  std::string node{};

  friend bool operator==(const MemberPlacement&, const MemberPlacement&) = default;
};

struct GroupSchedulingDecision {
  std::string group{};
  SchedulingResult result = SchedulingResult::Unschedulable;
  // By pod. At least what minCount still lacks, or none. With Preempt and AwaitingVictims: the
  // nodes that the pods are nominated to.
  std::vector<MemberPlacement> placements{};
  std::vector<VictimReport> victims{};  // pods, unit after unit, most important first
  int budget_violations = 0;
  std::string message{};
  // As of SchedulingDecision, on all nodes of the placement.
  std::vector<std::string> outranked{};

  friend bool operator==(const GroupSchedulingDecision&, const GroupSchedulingDecision&) = default;
};

// The number of pending members that must be placed together: minCount less those that have a node.
[[nodiscard]] std::size_t needed_members(const Gang& gang);

// Requires that the group is a gang. Members above minCount are placed only where there is room for
// them; by upstream's rules as many as possible are placed, with victims. The room is left as it
// was.
[[nodiscard]] GroupSchedulingDecision schedule_gang(ClusterRoom& room, const Gang& gang,
                                                    const ScheduleTerms& terms);

// The members, NAMESPACE/NAME, whose nomination holds room in vain: the node is not known, refuses
// the member whatever its pods do, or lacks room for it even once all leaving pods are gone, beside
// the pods that stay and the other nominated members. Where other pods are wanted near or far is
// not looked at. The room is left as it was.
[[nodiscard]] std::vector<std::string> infeasible_nominations(ClusterRoom& room, const Gang& gang,
                                                              const ScheduleTerms& terms);

// The pods of that group among the moment's.
[[nodiscard]] Gang gang_of(const ClusterMoment& moment, const PodGroup& group);

}  // namespace elbowroom::policy
