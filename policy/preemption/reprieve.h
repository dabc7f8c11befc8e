// The order in which the units of a node, the potential victims, are reprieved. All are removed at
// first; then each that still fits beside the pods that stay is put back, so no victim could stay.
// Both rule sets share the order. A unit is put back with all its pods or with none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace elbowroom::policy {

// The status of a unit, apart from its importance.
struct ReprieveStatus {
  bool breaks_budget = false;
  bool is_marked = false;  // for this preemptor, by an intent that is not finished
};

// Calls put_back(i) once for each of `count` units (most important first): first for those that
// violate a budget, then for the others, and last for those already marked. put_back() puts all
// pods of the i-th unit back where everything still fits, and otherwise leaves all of them out.
// status_of(i) is its ReprieveStatus. Source: kube-scheduler SelectVictimsOnNode (1.37).
template <class StatusOf, class PutBack>
void reprieve_in_order(std::size_t count, StatusOf status_of, PutBack put_back) {
  enum class Turn : std::uint8_t { BreaksBudget, Other, Marked };
  const auto turn_of = [&](std::size_t i) {
    const ReprieveStatus status = status_of(i);
    if (status.is_marked) return Turn::Marked;
    return status.breaks_budget ? Turn::BreaksBudget : Turn::Other;
  };
  std::array<bool, 3> has{};  // by turn
  for (std::size_t i = 0; i < count; ++i) has[std::to_underlying(turn_of(i))] = true;
  for (const Turn turn : {Turn::BreaksBudget, Turn::Other, Turn::Marked}) {
    if (!has[std::to_underlying(turn)]) continue;
    for (std::size_t i = 0; i < count; ++i) {
      if (turn_of(i) == turn) put_back(i);
    }
  }
}

}  // namespace elbowroom::policy
