// How good the nodes are that fit. Integers only, upstream's plugins and their weights; a node that
// would rather not have the pod comes behind all others.
//
//   3 x taints of effect PreferNoSchedule   2 x preferred node affinity   2 x topology spread
//   2 x preferred pods beside it            1 x least allocated           1 x balance of cpu,
//   memory
//
// Each is 0 to 100, rounded down, among the nodes that fit ("most" and "least" are of those):
//
//   taints     100 - 100 x tainted / most, tainted: its taints of that effect not tolerated
//   affinity   100 x weights / most, weights: of the preferred terms that match
//   spread     100 x (most + least - cost) / most; cost: the sum over the constraints of
//              pods x ln(domains + 2) + maxSkew - 1, rounded to the nearest; 0 without the labels
//   pods       100 x (wishes - least) / (most - least), wishes: weights by pods they are about,
//              both ways; of a required affinity of a pod that is there 1
//   allocated  the mean over cpu and memory of 100 x (allocatable - used) / allocatable
//   balance    100 x (1 - |used cpu / allocatable - used memory / allocatable| / 2)
//
// used: by all there and the pod, 100m and 200 MiB where a pod asks for nothing. The sum is below
// 10,000, which is what a node has ahead of one that avoids the pod. Source: kube-scheduler
// apis/config/v1/default_plugins.go (1.37). Not there: the images on a node, and spreading of pods
// that have no constraint.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/placement/cluster_room.h"
#include "policy/placement/node_filter.h"

namespace elbowroom::policy {

// Parallel to `nodes`, which all fit.
[[nodiscard]] std::vector<std::int64_t> scores_of(ClusterRoom& room, const NodeFilter& filter,
                                                  std::span<const std::uint32_t> nodes);

}  // namespace elbowroom::policy
