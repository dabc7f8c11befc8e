// Everything the scheduler's reactor can see, as values. Time arrives here too, so the same
// observations give the same effects, on any machine and in any year.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/write/lease.h"
#include "base/result.h"
#include "cluster/packed_pod.h"
#include "control/observation.h"
#include "policy/model/budget.h"
#include "policy/model/namespace.h"
#include "policy/model/node.h"
#include "policy/model/pod.h"
#include "policy/model/time.h"

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

// ---- what was seen; a list is complete: what is not in it is gone ----
struct NodesListed {
  std::vector<policy::Node> nodes{};

  friend bool operator==(const NodesListed&, const NodesListed&) = default;
};
struct NodeSeen {
  policy::Node node{};

  friend bool operator==(const NodeSeen&, const NodeSeen&) = default;
};
struct NodeGone {
  std::string name{};

  friend bool operator==(const NodeGone&, const NodeGone&) = default;
};
struct PodsListed {
  std::vector<cluster::PackedPod> pods{};
  // Keys of pods that are there and cannot be understood; each was told as Unreadable before.
  std::vector<std::string> unreadable{};

  friend bool operator==(const PodsListed&, const PodsListed&) = default;
};
struct PodSeen {  // added or changed
  cluster::PackedPod pod{};

  friend bool operator==(const PodSeen&, const PodSeen&) = default;
};
struct PodGone {
  std::string key{};
  std::string uid{};

  friend bool operator==(const PodGone&, const PodGone&) = default;
};
struct BudgetsListed {
  std::vector<policy::PodDisruptionBudget> budgets{};
  // NAMESPACE and name of those that are there and cannot be understood.
  std::vector<std::pair<std::string, std::string>> unreadable{};

  friend bool operator==(const BudgetsListed&, const BudgetsListed&) = default;
};
struct BudgetSeen {
  policy::PodDisruptionBudget budget{};

  friend bool operator==(const BudgetSeen&, const BudgetSeen&) = default;
};
struct BudgetGone {
  std::string ns{};
  std::string name{};

  friend bool operator==(const BudgetGone&, const BudgetGone&) = default;
};
// Our own DisruptionBudgets; where nobody installed the kind, the list is empty.
struct OwnBudgetsListed {
  std::vector<policy::DisruptionBudget> budgets{};
  std::vector<std::pair<std::string, std::string>> unreadable{};  // each was told as Unreadable

  friend bool operator==(const OwnBudgetsListed&, const OwnBudgetsListed&) = default;
};
struct OwnBudgetSeen {
  policy::DisruptionBudget budget{};

  friend bool operator==(const OwnBudgetSeen&, const OwnBudgetSeen&) = default;
};
struct OwnBudgetGone {
  std::string ns{};
  std::string name{};

  friend bool operator==(const OwnBudgetGone&, const OwnBudgetGone&) = default;
};
// Namespaces by name; their labels are what terms about other pods may select. Only where pending
// pods are placed.
struct NamespacesListed {
  std::vector<policy::Namespace> namespaces{};

  friend bool operator==(const NamespacesListed&, const NamespacesListed&) = default;
};
struct NamespaceSeen {
  policy::Namespace seen{};

  friend bool operator==(const NamespaceSeen&, const NamespaceSeen&) = default;
};
struct NamespaceGone {
  std::string name{};

  friend bool operator==(const NamespaceGone&, const NamespaceGone&) = default;
};

// In the order of kCollectionTable (scheduler/collections.h).
enum class Collection { Nodes, Pods, Budgets, OwnBudgets, Namespaces };
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

  friend bool operator==(const Done&, const Done&) = default;
};
struct Observation {
  Moment at{};
  std::variant<NodesListed, NodeSeen, NodeGone, PodsListed, PodSeen, PodGone, BudgetsListed,
               BudgetSeen, BudgetGone, OwnBudgetsListed, OwnBudgetSeen, OwnBudgetGone, Unreadable,
               Lost, Back, PolicyFieldProbed, LeaseSeen, LeaseUnseen, StopAsked, TimePassed, Done,
               Failed, NamespacesListed, NamespaceSeen, NamespaceGone, ServerDated>
      what{};

  friend bool operator==(const Observation&, const Observation&) = default;
};

}  // namespace elbowroom::scheduler
