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
  std::int32_t priority = 0;
  bool breaks_budget = false;       // a PodDisruptionBudget; by upstream's rules any budget
  bool breaks_soft_budget = false;  // a DisruptionBudget
  bool is_marked = false;           // for this preemptor, by an intent that is not finished
};

// Calls put_back(i) once for each of `count` units (most important first): first for those that
// violate a PodDisruptionBudget, then for the others, and last for those already marked. In each of
// these turns units that violate a DisruptionBudget come first among those of their priority, so
// that such a budget never costs a unit of a higher one. put_back() puts all pods of the i-th unit
// back where everything still fits, and otherwise leaves all of them out. status_of(i) is its
// ReprieveStatus. Source: kube-scheduler SelectVictimsOnNode (1.37), which knows no
// DisruptionBudget.
template <class StatusOf, class PutBack>
void reprieve_in_order(std::size_t count, StatusOf status_of, PutBack put_back) {
  enum class Turn : std::uint8_t { BreaksBudget, Other, Marked };
  const auto turn_of = [&](std::size_t i) {
    const ReprieveStatus status = status_of(i);
    if (status.is_marked) return Turn::Marked;
    return status.breaks_budget ? Turn::BreaksBudget : Turn::Other;
  };
  std::array<bool, 3> has{};  // by turn
  bool has_soft = false;
  for (std::size_t i = 0; i < count; ++i) {
    has[std::to_underlying(turn_of(i))] = true;
    has_soft = has_soft || status_of(i).breaks_soft_budget;
  }
  const auto put_back_all = [&](Turn turn, std::size_t first, std::size_t last, auto which) {
    for (std::size_t i = first; i < last; ++i) {
      if (turn_of(i) == turn && which(i)) put_back(i);
    }
  };
  const auto is_soft = [&](std::size_t i) { return status_of(i).breaks_soft_budget; };
  for (const Turn turn : {Turn::BreaksBudget, Turn::Other, Turn::Marked}) {
    if (!has[std::to_underlying(turn)]) continue;
    if (!has_soft) {
      put_back_all(turn, 0, count, [](std::size_t /*any*/) { return true; });
      continue;
    }
    for (std::size_t first = 0, last = 0; first < count; first = last) {
      while (last < count && status_of(last).priority == status_of(first).priority) ++last;
      put_back_all(turn, first, last, is_soft);
      put_back_all(turn, first, last, [&](std::size_t i) { return !is_soft(i); });
    }
  }
}

}  // namespace elbowroom::policy
