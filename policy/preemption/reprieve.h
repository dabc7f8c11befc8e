// Which potential victims of a node must be removed. All are removed at first; then each that still
// fits beside the pods that stay is reprieved, in an order that both rule sets share. So no victim
// could stay.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace elbowroom::policy {

// The status of a potential victim, apart from its importance.
struct ReprieveStatus {
  bool breaks_budget = false;
  bool is_marked = false;  // for this preemptor, by an intent that is not finished
};

// For each of `potential` (most important first): whether it is removed. `put_back(i)` puts the
// i-th one back and returns true where everything still fits; otherwise it leaves it out and
// returns false. Pods that violate a budget are reprieved first, then the others, already marked
// pods last. Source: kube-scheduler SelectVictimsOnNode (1.37).
template <class PutBack>
[[nodiscard]] std::vector<bool> after_reprieve(std::span<const ReprieveStatus> potential,
                                               PutBack put_back) {
  enum class Turn { BreaksBudget, Other, Marked };
  const auto turn_of = [](const ReprieveStatus& each) {
    if (each.is_marked) return Turn::Marked;
    return each.breaks_budget ? Turn::BreaksBudget : Turn::Other;
  };
  std::vector<bool> goes(potential.size(), false);
  for (const Turn turn : {Turn::BreaksBudget, Turn::Other, Turn::Marked}) {
    for (std::size_t i = 0; i < potential.size(); ++i) {
      if (turn_of(potential[i]) == turn) goes[i] = !put_back(i);
    }
  }
  return goes;
}

}  // namespace elbowroom::policy
