// The messages about a pending pod: why no node is feasible, and why each victim was chosen. The
// counted reasons use upstream's texts and form, which people search for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/placement/node_filter.h"
#include "policy/placement/pod_preemption.h"
#include "policy/placement/schedule.h"

namespace elbowroom::policy {

// Why a pod with scheduling gates is not placed. Source: kube-scheduler schedulinggates (1.37).
inline constexpr std::string_view kBlockedByGates =
    "Scheduling is blocked due to non-empty scheduling gates";

struct RefusedNode {
  std::uint32_t node = 0;
  Refusal refusal{};
};

// "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable.": every reason of
// every node, counted, as sorted texts. `refused` holds every node of the cluster.
[[nodiscard]] std::string unavailable(const NodeFilter& filter,
                                      std::span<const RefusedNode> refused);

// " preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling."; `tried`
// holds the refused nodes where preemption could have helped.
[[nodiscard]] std::string in_vain(const NodeFilter& filter, std::span<const RefusedNode> refused,
                                  std::span<const NodePreemption> tried);

// The victims on that node, most important first, each with the reason for its removal.
[[nodiscard]] std::vector<VictimReport> described_victims(const NodeFilter& filter,
                                                          const NodePreemption& chosen);

}  // namespace elbowroom::policy
