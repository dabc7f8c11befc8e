// Everything the rescheduler's reactor can see, as values. Time arrives here too, so the same
// observations give the same effects, on any machine and in any year.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "api/codec/admission_review.h"
#include "cluster/packed_pod.h"
#include "control/listed.h"
#include "control/observation.h"
#include "policy/model/budget.h"
#include "policy/model/namespace.h"
#include "policy/model/node.h"
#include "policy/moves/move_owner.h"

namespace elbowroom::rescheduler {

using control::EffectId;
using control::Failed;
using control::Moment;
using control::Unreadable;

// In the order of kCollectionTable (rescheduler/collections.h).
enum class Collection {
  Nodes,
  Pods,
  Budgets,
  PodBudgets,
  Namespaces,
  Deployments,
  ReplicaSets,
  StatefulSets,
  Settings,
  Rests
};
using Lost = control::Lost<Collection>;
using Back = control::Back<Collection>;

// An owner of pods, of one kind.
template <Collection>
struct OwnerOf {
  policy::MoveOwner is{};

  friend bool operator==(const OwnerOf&, const OwnerOf&) = default;
};

// A ConfigMap's text keys.
struct ConfigText {
  std::string uid{};
  std::string version{};
  std::map<std::string, std::string> data{};

  friend bool operator==(const ConfigText&, const ConfigText&) = default;
};
template <Collection>
struct ConfigOf {
  ConfigText is{};

  friend bool operator==(const ConfigOf&, const ConfigOf&) = default;
};

using NodesListed = control::Listed<policy::Node>;
using NodeSeen = control::Seen<policy::Node>;
using NodeGone = control::Gone<policy::Node>;
using PodsListed = control::Listed<cluster::PackedPod>;
using PodSeen = control::Seen<cluster::PackedPod>;
using PodGone = control::Gone<cluster::PackedPod>;
// Our own DisruptionBudgets. Where the kind is not installed, the list is empty.
using BudgetsListed = control::Listed<policy::DisruptionBudget>;
using BudgetSeen = control::Seen<policy::DisruptionBudget>;
using BudgetGone = control::Gone<policy::DisruptionBudget>;
using PodBudgetsListed = control::Listed<policy::PodDisruptionBudget>;
using PodBudgetSeen = control::Seen<policy::PodDisruptionBudget>;
using PodBudgetGone = control::Gone<policy::PodDisruptionBudget>;
using NamespacesListed = control::Listed<policy::Namespace>;
using NamespaceSeen = control::Seen<policy::Namespace>;
using NamespaceGone = control::Gone<policy::Namespace>;
using DeploymentOwner = OwnerOf<Collection::Deployments>;
using ReplicaSetOwner = OwnerOf<Collection::ReplicaSets>;
using StatefulSetOwner = OwnerOf<Collection::StatefulSets>;
using SettingsMap = ConfigOf<Collection::Settings>;
using RestsMap = ConfigOf<Collection::Rests>;

// The API server asks whether a pod may be evicted or deleted; AnswerReview answers it.
struct ReviewAsked {
  std::uint64_t number = 0;  // of this process
  api::AdmissionReview review{};

  friend bool operator==(const ReviewAsked&, const ReviewAsked&) = default;
};

// An effect was done.
struct Done {
  EffectId effect = 0;
  std::optional<api::Lease> lease{};  // after the Lease was written: as it is now
  // After a DisruptionBudget was asked for, or its ledger written: as it is now.
  std::optional<policy::DisruptionBudget> budget{};
  std::string version{};  // after the rests were written: of their ConfigMap

  friend bool operator==(const Done&, const Done&) = default;
};

struct Observation {
  Moment at{};
  std::variant<NodesListed, NodeSeen, NodeGone, PodsListed, PodSeen, PodGone, BudgetsListed,
               BudgetSeen, BudgetGone, PodBudgetsListed, PodBudgetSeen, PodBudgetGone,
               NamespacesListed, NamespaceSeen, NamespaceGone, control::Listed<DeploymentOwner>,
               control::Seen<DeploymentOwner>, control::Gone<DeploymentOwner>,
               control::Listed<ReplicaSetOwner>, control::Seen<ReplicaSetOwner>,
               control::Gone<ReplicaSetOwner>, control::Listed<StatefulSetOwner>,
               control::Seen<StatefulSetOwner>, control::Gone<StatefulSetOwner>,
               control::Listed<SettingsMap>, control::Seen<SettingsMap>, control::Gone<SettingsMap>,
               control::Listed<RestsMap>, control::Seen<RestsMap>, control::Gone<RestsMap>,
               ReviewAsked, Unreadable, Lost, Back, control::ServerDated, control::LeaseSeen,
               control::LeaseUnseen, control::StopAsked, control::TimePassed, Done, Failed>
      what{};

  friend bool operator==(const Observation&, const Observation&) = default;
};

}  // namespace elbowroom::rescheduler
