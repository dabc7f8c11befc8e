// The collections that elbowroom-rescheduler follows, in the order of Collection.
#pragma once

#include <array>
#include <cstddef>

#include "control/collection.h"
#include "rescheduler/observation.h"

namespace elbowroom::rescheduler {

inline constexpr std::array<control::CollectionRow, 3> kCollectionTable = {{
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
}};

[[nodiscard]] constexpr const control::CollectionRow& row_of(Collection of) {
  return kCollectionTable.at(static_cast<std::size_t>(of));
}

}  // namespace elbowroom::rescheduler
