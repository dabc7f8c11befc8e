// Replaces a pod that has an extreme number of containers with a small pod that costs the same. Its
// one container has no name, so it cannot be resized, but every sum counts it.
#pragma once

#include <cstddef>

#include "policy/model/pod.h"

namespace elbowroom::policy {

// How many containers and initContainers of one pod are kept one by one. An API server accepts pods
// of some 20,000 (etcd's limit for an object is 1.5 MiB).
inline constexpr std::size_t kMostContainers = 100;

// Replaces all containers with one container without a name. Its amounts are their totals by
// totals_of(). It has ended where all have ended, and runs where one runs. The QoS class stays: the
// one in the pod's status, or the computed one.
void cap_containers(Pod& pod);

[[nodiscard]] bool is_capped(const Pod& pod);

}  // namespace elbowroom::policy
