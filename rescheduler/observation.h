// Everything the rescheduler's reactor can see, as values. Time arrives here too, so the same
// observations give the same effects, on any machine and in any year.
#pragma once

#include "cluster/packed_pod.h"
#include "control/listed.h"
#include "control/observation.h"
#include "policy/model/budget.h"
#include "policy/model/node.h"

namespace elbowroom::rescheduler {

using control::Done;
using control::EffectId;
using control::Failed;
using control::Moment;
using control::Unreadable;

using NodesListed = control::Listed<policy::Node>;
using NodeSeen = control::Seen<policy::Node>;
using NodeGone = control::Gone<policy::Node>;
using PodsListed = control::Listed<cluster::PackedPod>;
using PodSeen = control::Seen<cluster::PackedPod>;
using PodGone = control::Gone<cluster::PackedPod>;
// Where the kind is not installed, the list is empty.
using BudgetsListed = control::Listed<policy::DisruptionBudget>;
using BudgetSeen = control::Seen<policy::DisruptionBudget>;
using BudgetGone = control::Gone<policy::DisruptionBudget>;

// In the order of kCollectionTable (rescheduler/collections.h).
enum class Collection { Nodes, Pods, Budgets };
using Lost = control::Lost<Collection>;
using Back = control::Back<Collection>;

using Observation =
    control::DaemonObservation<Collection, NodesListed, NodeSeen, NodeGone, PodsListed, PodSeen,
                               PodGone, BudgetsListed, BudgetSeen, BudgetGone>;

}  // namespace elbowroom::rescheduler
