// The classes of a gang's members: what every filter and score says of one holds for all of its
// class. Pods of an indexed Job have labels of their own, and those of a JobSet owners; both matter
// only where something reads them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "policy/model/pod.h"
#include "policy/placement/cluster_room.h"
#include "policy/placement/schedule.h"

namespace elbowroom::policy {

// The class of each member, numbered as they come.
[[nodiscard]] std::vector<std::size_t> classes_of(const ClusterRoom& room,
                                                  std::span<const Pod* const> members,
                                                  const ScheduleTerms& terms);

}  // namespace elbowroom::policy
