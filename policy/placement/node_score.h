// The scores of the feasible nodes. Integers only, with upstream's plugins and weights. A node that
// prefers to avoid the pod ranks below all others.
//
//   3 x taints of effect PreferNoSchedule   2 x preferred node affinity   2 x topology spread
//   2 x preferred pods beside it            1 x least allocated           1 x balance of cpu,
//   memory                                  1 x images that are there (image_score.h)
//
// Each is 0 to 100, rounded down, among the feasible nodes (which "most" and "least" refer to):
//
//   taints     100 - 100 x tainted / most, tainted: its taints of that effect not tolerated
//   affinity   100 x weights / most, weights: of the preferred terms that match
//   spread     100 x (most + least - cost) / most; cost: the sum over the constraints of
//              pods x ln(domains + 2) + maxSkew - 1, rounded to the nearest; 0 without the labels.
//              Of a pod without constraints by those that all have (default_spread.h)
//   pods       100 x (sum - least) / (most - least), sum: weights times matching pods, in both
//              directions; the required affinity of an existing pod weighs 1
//   allocated  the mean over cpu and memory of 100 x (allocatable - used) / allocatable
//   balance    50 + (50 + alike with the pod - alike without it) / 2,
//              alike: 100 x (1 - |used cpu / allocatable - used memory / allocatable| / 2);
//              0 for a pod that requests neither
//
// used: by the node's pods and the pod itself; where allocated is meant, a pod that requests
// nothing counts as 100m and 200 MiB. The sum is below 10,000, which is the advantage over a node
// that avoids the pod. Source: kube-scheduler apis/config/v1/default_plugins.go (1.37).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/placement/cluster_room.h"
#include "policy/placement/node_filter.h"

namespace elbowroom::policy {

// Parallel to `nodes`, all of which must be feasible.
[[nodiscard]] std::vector<std::int64_t> scores_of(ClusterRoom& room, const NodeFilter& filter,
                                                  std::span<const std::uint32_t> nodes);

// The part of the score that depends on what is used there: least allocated and balance.
[[nodiscard]] std::int64_t score_of_room(const NodeTotals& figures, const Resources& request);

}  // namespace elbowroom::policy
