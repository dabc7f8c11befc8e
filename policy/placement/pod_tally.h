// How many matching pods there are per value of a node label: the basis of topology spread and
// inter-pod affinity. What matches is said by kinds and by terms, so counting reads on which nodes
// those are, and no pod.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/model/placement.h"
#include "policy/placement/cluster_room.h"
#include "policy/preemption/room_on_its_way.h"

namespace elbowroom::policy {

// Amounts for a few numbers; all others have none.
class SparseAmounts {
 public:
  // Adds to what the number has.
  void add(std::uint32_t number, std::int64_t amount) {
    const std::size_t word = number / 64;
    if (has_.size() <= word) has_.resize(word + 1, 0);
    has_[word] |= std::uint64_t{1} << (number % 64);
    // Numbers mostly come in order.
    const auto at = amounts_.empty() || amounts_.back().first < number
                        ? amounts_.end()
                        : std::ranges::lower_bound(amounts_, number, {},
                                                   &std::pair<std::uint32_t, std::int64_t>::first);
    if (at != amounts_.end() && at->first == number) {
      at->second += amount;
    } else {
      amounts_.insert(at, {number, amount});
    }
  }

  [[nodiscard]] std::int64_t of(std::uint32_t number) const {
    const std::size_t word = number / 64;
    if (word >= has_.size() || (has_[word] >> (number % 64) & 1U) == 0) return 0;
    return std::ranges::lower_bound(amounts_, number, {},
                                    &std::pair<std::uint32_t, std::int64_t>::first)
        ->second;
  }

  [[nodiscard]] const std::vector<std::pair<std::uint32_t, std::int64_t>>& all() const {
    return amounts_;
  }

 private:
  std::vector<std::uint64_t> has_{};                               // one bit for each number
  std::vector<std::pair<std::uint32_t, std::int64_t>> amounts_{};  // by number
};

struct PodTally {
  const LabelColumn* column = nullptr;
  SparseAmounts by_kind{};               // what a pod of that kind adds
  SparseAmounts by_terms{};              // what a pod with those terms adds besides
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
  // Whether a terminating pod counts as gone.
  [[nodiscard]] bool is_gone(const RoomHolding& holding) const {
    if (!holding.is_terminating()) return false;
    return !counts_terminating ||
           (without_leaving != nullptr && !without_leaving->overdue.contains(holding.uid));
  }
  [[nodiscard]] std::int64_t adds_if_there(const RoomHolding& holding) const {
    return by_kind.of(holding.kind) + by_terms.of(holding.terms);
  }
  [[nodiscard]] std::int64_t adds(const RoomHolding& holding) const {
    return is_gone(holding) ? 0 : adds_if_there(holding);
  }
};

[[nodiscard]] PodTally tally_by(ClusterRoom& room, std::string_view label);

// Fills by_value from all pods that hold room on nodes whose object was seen.
void count(const ClusterRoom& room, std::span<PodTally> tallies);

// Whether a term selects pods with those labels in that namespace.
[[nodiscard]] bool is_about(const ClusterRoom& room, const PodTerm& term, std::string_view ns,
                            const Labels& labels);

}  // namespace elbowroom::policy
