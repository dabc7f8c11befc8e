// How many matching pods there are per value of a node label: the basis of topology spread and
// inter-pod affinity. A pod's contribution is computed once per kind, so that counting fifty
// thousand pods evaluates no selector.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "policy/model/placement.h"
#include "policy/placement/cluster_room.h"
#include "policy/preemption/room_on_its_way.h"

namespace elbowroom::policy {

struct PodTally {
  const LabelColumn* column = nullptr;
  std::vector<std::int64_t> by_kind{};   // what a pod of that kind adds
  std::vector<std::int64_t> by_value{};  // the count, by the label value's number
  bool counts_terminating = true;
  const OverduePods* without_leaving = nullptr;  // if set, leaving pods count as gone
  std::vector<bool> counted_nodes{};             // by the node's number; empty: all nodes

  [[nodiscard]] std::uint32_t value_at(std::uint32_t node) const {
    return column->value_of_node[node];
  }
  [[nodiscard]] bool counts_node(std::uint32_t node) const {
    return counted_nodes.empty() || counted_nodes[node];
  }
  [[nodiscard]] std::int64_t adds(const RoomHolding& holding) const {
    if (holding.is_terminating()) {
      if (!counts_terminating) return 0;
      if (without_leaving != nullptr && !without_leaving->overdue.contains(holding.uid)) return 0;
    }
    return by_kind[holding.kind];
  }
};

[[nodiscard]] PodTally tally_by(ClusterRoom& room, std::string_view label);

// Fills by_value from all pods that hold room on nodes whose object was seen.
void count(const ClusterRoom& room, std::span<PodTally> tallies);

// Whether a term selects pods with those labels in that namespace.
[[nodiscard]] bool is_about(const ClusterRoom& room, const PodTerm& term, std::string_view ns,
                            const Labels& labels);

}  // namespace elbowroom::policy
