// Who of the potential victims of a node has to go. Everybody is gone at first, and whoever can be
// put back beside those who stay is put back, in the order that both rule sets share; so nobody who
// goes could stay.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace elbowroom::policy {

// How a potential victim stands, apart from its place in the order of importance.
struct ReprieveStatus {
  bool breaks_budget = false;
  bool is_marked = false;  // for this very preemptor, by an intent that was not finished
};

// For each of `potential` (most important first): does it go? `put_back(i)` puts the i-th one back
// and says true where everything still fits, else leaves it out and says false. Those that break a
// budget get their place back first, then the others, those marked already last. Source:
// kube-scheduler SelectVictimsOnNode (1.37).
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
