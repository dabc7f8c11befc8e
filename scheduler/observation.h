// Everything the scheduler's reactor can see, as values. Time arrives here too, so the same
// observations give the same effects, on any machine and in any year.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/codec/decode_priority_class.h"
#include "api/write/lease.h"
#include "base/result.h"
#include "cluster/packed_pod.h"
#include "control/listed.h"
#include "control/observation.h"
#include "policy/model/budget.h"
#include "policy/model/namespace.h"
#include "policy/model/node.h"
#include "policy/model/pod.h"
#include "policy/model/pod_group.h"
#include "policy/model/selecting.h"
#include "policy/model/time.h"
#include "policy/model/volume.h"

namespace elbowroom::scheduler {

using control::EffectId;
using control::Failed;
using control::LeaseSeen;
using control::LeaseUnseen;
using control::Moment;
using control::PolicyFieldProbed;
using control::ServerDated;
using control::StopAsked;
using control::TimePassed;
using control::Unreadable;

// ---- what is seen of each collection (control/listed.h) ----

using NodesListed = control::Listed<policy::Node>;
using NodeSeen = control::Seen<policy::Node>;
using NodeGone = control::Gone<policy::Node>;
using PodsListed = control::Listed<cluster::PackedPod>;
using PodSeen = control::Seen<cluster::PackedPod>;
using PodGone = control::Gone<cluster::PackedPod>;
using BudgetsListed = control::Listed<policy::PodDisruptionBudget>;
using BudgetSeen = control::Seen<policy::PodDisruptionBudget>;
using BudgetGone = control::Gone<policy::PodDisruptionBudget>;
// Our own DisruptionBudgets; where the kind is not installed, the list is empty.
using OwnBudgetsListed = control::Listed<policy::DisruptionBudget>;
using OwnBudgetSeen = control::Seen<policy::DisruptionBudget>;
using OwnBudgetGone = control::Gone<policy::DisruptionBudget>;
// Terms about other pods select namespaces by their labels. Only where pending pods are placed.
using NamespacesListed = control::Listed<policy::Namespace>;
using NamespaceSeen = control::Seen<policy::Namespace>;
using NamespaceGone = control::Gone<policy::Namespace>;
// Where the kind is not served, the list is empty.
using PodGroupsListed = control::Listed<policy::PodGroup>;
using PodGroupSeen = control::Seen<policy::PodGroup>;
using PodGroupGone = control::Gone<policy::PodGroup>;
using PriorityClassesListed = control::Listed<api::PriorityClass>;
using PriorityClassSeen = control::Seen<api::PriorityClass>;
using PriorityClassGone = control::Gone<api::PriorityClass>;

// What the volumes of pending pods depend on. Only where pending pods are placed.
using ClaimsListed = control::Listed<policy::VolumeClaim>;
using ClaimSeen = control::Seen<policy::VolumeClaim>;
using ClaimGone = control::Gone<policy::VolumeClaim>;
using VolumesListed = control::Listed<policy::PersistentVolume>;
using VolumeSeen = control::Seen<policy::PersistentVolume>;
using VolumeGone = control::Gone<policy::PersistentVolume>;
using StorageClassesListed = control::Listed<policy::StorageClass>;
using StorageClassSeen = control::Seen<policy::StorageClass>;
using StorageClassGone = control::Gone<policy::StorageClass>;
using CsiNodesListed = control::Listed<policy::CsiNode>;
using CsiNodeSeen = control::Seen<policy::CsiNode>;
using CsiNodeGone = control::Gone<policy::CsiNode>;
using CsiDriversListed = control::Listed<policy::CsiDriver>;
using CsiDriverSeen = control::Seen<policy::CsiDriver>;
using CsiDriverGone = control::Gone<policy::CsiDriver>;
using StorageCapacitiesListed = control::Listed<policy::StorageCapacity>;
using StorageCapacitySeen = control::Seen<policy::StorageCapacity>;
using StorageCapacityGone = control::Gone<policy::StorageCapacity>;
// An object that says which pods belong together, of one kind. Only where pending pods are placed.
template <policy::SelectingKind>
struct SelectingOf {
  policy::Selecting is{};

  friend bool operator==(const SelectingOf&, const SelectingOf&) = default;
};
using ServiceOf = SelectingOf<policy::SelectingKind::Service>;
using ReplicationControllerOf = SelectingOf<policy::SelectingKind::ReplicationController>;
using ReplicaSetOf = SelectingOf<policy::SelectingKind::ReplicaSet>;
using StatefulSetOf = SelectingOf<policy::SelectingKind::StatefulSet>;

// In the order of kCollectionTable (scheduler/collections.h).
enum class Collection {
  Nodes,
  Pods,
  Budgets,
  OwnBudgets,
  Namespaces,
  PodGroups,
  Claims,
  Volumes,
  StorageClasses,
  CsiNodes,
  CsiDrivers,
  StorageCapacities,
  Services,
  ReplicationControllers,
  ReplicaSets,
  StatefulSets,
  PriorityClasses
};
// Those that only pods with claims depend on.
[[nodiscard]] constexpr bool is_of_volumes(Collection of) {
  return of >= Collection::Claims && of <= Collection::StorageCapacities;
}
// Of the kind's collection.
[[nodiscard]] constexpr Collection collection_of(policy::SelectingKind kind) {
  return static_cast<Collection>(static_cast<int>(Collection::Services) + static_cast<int>(kind));
}
using Lost = control::Lost<Collection>;
using Back = control::Back<Collection>;

// What the circuit breaker counts, as the API server has it
// (scheduler/breaker/circuit_breaker_record.h).
struct StoredBreaker {
  std::string uid{};
  std::string resource_version{};  // the precondition of an update; "" creates it
  std::string text{};              // "" where the object has none

  friend bool operator==(const StoredBreaker&, const StoredBreaker&) = default;
};

struct Done {
  EffectId effect = 0;
  std::optional<api::Lease> lease{};        // after a Lease was written: as it is now
  std::optional<cluster::PackedPod> pod{};  // after a pod was asked for: as it is now
  std::optional<StoredBreaker> breaker{};   // after it was asked for, or written: as it is now
  std::optional<policy::PodGroup> group{};  // after a pod group was asked for: as it is now
  // After a DisruptionBudget was asked for, or its ledger written: as it is now.
  std::optional<policy::DisruptionBudget> budget{};

  friend bool operator==(const Done&, const Done&) = default;
};
struct Observation {
  Moment at{};
  std::variant<
      NodesListed, NodeSeen, NodeGone, PodsListed, PodSeen, PodGone, BudgetsListed, BudgetSeen,
      BudgetGone, OwnBudgetsListed, OwnBudgetSeen, OwnBudgetGone, Unreadable, Lost, Back,
      PolicyFieldProbed, LeaseSeen, LeaseUnseen, StopAsked, TimePassed, Done, Failed,
      NamespacesListed, NamespaceSeen, NamespaceGone, ServerDated, PodGroupsListed, PodGroupSeen,
      PodGroupGone, ClaimsListed, ClaimSeen, ClaimGone, VolumesListed, VolumeSeen, VolumeGone,
      StorageClassesListed, StorageClassSeen, StorageClassGone, CsiNodesListed, CsiNodeSeen,
      CsiNodeGone, CsiDriversListed, CsiDriverSeen, CsiDriverGone, StorageCapacitiesListed,
      StorageCapacitySeen, StorageCapacityGone, control::Listed<ServiceOf>,
      control::Seen<ServiceOf>, control::Gone<ServiceOf>, control::Listed<ReplicationControllerOf>,
      control::Seen<ReplicationControllerOf>, control::Gone<ReplicationControllerOf>,
      control::Listed<ReplicaSetOf>, control::Seen<ReplicaSetOf>, control::Gone<ReplicaSetOf>,
      control::Listed<StatefulSetOf>, control::Seen<StatefulSetOf>, control::Gone<StatefulSetOf>,
      PriorityClassesListed, PriorityClassSeen, PriorityClassGone>
      what{};

  friend bool operator==(const Observation&, const Observation&) = default;
};

}  // namespace elbowroom::scheduler
