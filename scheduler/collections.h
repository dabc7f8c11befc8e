// The collections that elbowroom-scheduler follows, in the order of Collection. Namespaces are
// followed in mode full only.
#pragma once

#include <array>
#include <cstddef>

#include "control/collection.h"
#include "scheduler/observation.h"

namespace elbowroom::scheduler {

inline constexpr std::array<control::CollectionRow, 6> kCollectionTable = {{
    // A node that cannot be understood may have no room, or forbid what its last state allowed.
    {.name = "nodes",
     .words = "nodes",
     .version = "v1",
     .resource = "nodes",
     .kind = "Node",
     .why = "all",
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
     .words = "budgets",
     .group = "policy",
     .version = "v1",
     .resource = "poddisruptionbudgets",
     .kind = "PodDisruptionBudget",
     .why = "all",
     .by_protobuf = true},
    {.name = "ownBudgets",
     .words = "our own budgets",
     .group = "elbowroom.dev",
     .version = "v1alpha1",
     .resource = "disruptionbudgets",
     .kind = "DisruptionBudget",
     .why = "all; where the kind is installed",
     .is_optional = true},
    {.name = "namespaces",
     .words = "namespaces",
     .version = "v1",
     .resource = "namespaces",
     .kind = "Namespace",
     .why = "all: terms about other pods select by them"},
    {.name = "podGroups",
     .words = "pod groups",
     .group = "scheduling.k8s.io",
     .version = "v1beta1",
     .older_versions = {"v1alpha3", "v1alpha2"},
     .resource = "podgroups",
     .kind = "PodGroup",
     .why = "all; where the kind is served",
     .by_protobuf = true,
     .is_optional = true,
     .is_discovered = true},
}};

[[nodiscard]] constexpr const control::CollectionRow& row_of(Collection of) {
  return kCollectionTable.at(static_cast<std::size_t>(of));
}

}  // namespace elbowroom::scheduler
