// A pod with more containers than anybody runs, as one that costs the same and is small. Its one
// container has no name, so nobody resizes it, and everybody counts it.
#pragma once

#include <cstddef>

#include "policy/model/pod.h"

namespace elbowroom::policy {

// Containers and initContainers of one pod that are kept one by one. An API server takes pods of
// some 20,000 (etcd's limit for an object is 1.5 MiB).
inline constexpr std::size_t kMostContainers = 100;

// Puts one container without a name in place of all: its amounts are their totals by totals_of(),
// it has ended where all have, and runs where one does. What the pod's status calls its quality of
// service, or what it would be, stays.
void cap_containers(Pod& pod);

[[nodiscard]] bool is_capped(const Pod& pod);

}  // namespace elbowroom::policy
