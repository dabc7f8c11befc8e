// The collections that elbowroom-rescheduler follows, in the order of Collection.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "api/codec/decode_move_rules.h"
#include "control/collection.h"
#include "rescheduler/observation.h"

namespace elbowroom::rescheduler {

inline constexpr std::string_view kConfigNamespace = api::kMoveRulesNamespace;
// The ConfigMap with the configuration of moves, and the one where the owners' rests are kept,
// under one key.
inline constexpr std::string_view kSettingsName = api::kMoveRulesName;
inline constexpr std::string_view kRestsKey = "rests.json";
inline constexpr std::string_view kRestsName = "elbowroom-rescheduler-rests";

inline constexpr std::array<control::CollectionRow, 10> kCollectionTable = {{
    {.name = "nodes",
     .words = "nodes",
     .version = "v1",
     .resource = "nodes",
     .kind = "Node",
     .why = "all: which pods avoid them",
     .by_protobuf = true,
     .is_gone_when_odd = true},
    {.name = "pods",
     .words = "pods",
     .version = "v1",
     .resource = "pods",
     .kind = "Pod",
     .why = "all that have not finished",
     .by_protobuf = true},
    {.name = "budgets",
     .words = "disruption budgets",
     .group = "elbowroom.dev",
     .version = "v1alpha1",
     .resource = "disruptionbudgets",
     .kind = "DisruptionBudget",
     .why = "all; where the kind is installed",
     .is_optional = true},
    {.name = "podBudgets",
     .words = "pod disruption budgets",
     .group = "policy",
     .version = "v1",
     .resource = "poddisruptionbudgets",
     .kind = "PodDisruptionBudget",
     .why = "all: walls for moves",
     .by_protobuf = true},
    {.name = "namespaces",
     .words = "namespaces",
     .version = "v1",
     .resource = "namespaces",
     .kind = "Namespace",
     .why = "all: terms about other pods select by them"},
    {.name = "deployments",
     .words = "deployments",
     .group = "apps",
     .version = "v1",
     .resource = "deployments",
     .kind = "Deployment",
     .why = "all: no pod of one that rolls out is moved"},
    {.name = "replicaSets",
     .words = "replica sets",
     .group = "apps",
     .version = "v1",
     .resource = "replicasets",
     .kind = "ReplicaSet",
     .why = "all: which Deployment a pod belongs to"},
    {.name = "statefulSets",
     .words = "stateful sets",
     .group = "apps",
     .version = "v1",
     .resource = "statefulsets",
     .kind = "StatefulSet",
     .why = "all: no pod of one that rolls out is moved"},
    {.name = "settings",
     .words = "the configuration of moves",
     .version = "v1",
     .resource = "configmaps",
     .kind = "ConfigMap",
     .ns = kConfigNamespace,
     .object = kSettingsName,
     .why = "which moves are on"},
    {.name = "rests",
     .words = "the rests of owners",
     .version = "v1",
     .resource = "configmaps",
     .kind = "ConfigMap",
     .ns = kConfigNamespace,
     .object = kRestsName,
     .why = "which owners rest after a move"},
}};

// The first ones suffice to keep the status of budgets; moves take all.
inline constexpr std::size_t kKeptCollections = 3;

[[nodiscard]] constexpr const control::CollectionRow& row_of(Collection of) {
  return kCollectionTable.at(static_cast<std::size_t>(of));
}

}  // namespace elbowroom::rescheduler
