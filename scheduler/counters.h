// The scheduler's counts since it started, for metrics. No decision depends on them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "cluster/debit_queue.h"
#include "scheduler/waiting/requeue_hints.h"

namespace elbowroom::scheduler {

// What pods are removed for: a Deferred resize, a pending pod, a gang.
enum class PreemptorKind : std::uint8_t { Resize, Pod, Group };
// How they are removed: each by itself, or with their whole group.
enum class VictimKind : std::uint8_t { Pod, Group };
inline constexpr std::array kPreemptorKinds = {PreemptorKind::Resize, PreemptorKind::Pod,
                                               PreemptorKind::Group};
inline constexpr std::array kVictimKinds = {VictimKind::Pod, VictimKind::Group};

// Of a preemptor, or of something that is known of one.
[[nodiscard]] constexpr PreemptorKind kind_of(const auto& preemptor) {
  if (preemptor.is_group) return PreemptorKind::Group;
  return preemptor.is_pending ? PreemptorKind::Pod : PreemptorKind::Resize;
}

// Counts by preemptor and victim.
class CountsByKind {
 public:
  [[nodiscard]] std::uint64_t& of(PreemptorKind preemptor, VictimKind victim) {
    return counts_[static_cast<std::size_t>(preemptor)][static_cast<std::size_t>(victim)];
  }
  [[nodiscard]] std::uint64_t of(PreemptorKind preemptor, VictimKind victim) const {
    return counts_[static_cast<std::size_t>(preemptor)][static_cast<std::size_t>(victim)];
  }

 private:
  std::array<std::array<std::uint64_t, kVictimKinds.size()>, kPreemptorKinds.size()> counts_{};
};

using TurnCounts = std::array<std::uint64_t, kResults>;  // by TurnResult

struct Counts {
  TurnCounts turns{};
  std::array<TurnCounts, kPreemptorKinds.size()> turns_by{};  // the same by PreemptorKind
  [[nodiscard]] std::uint64_t all_turns() const {
    std::uint64_t all = 0;
    for (const std::uint64_t each : turns) all += each;
    return all;
  }
  // Removals that reached their first delete; Group: at least one group goes whole.
  CountsByKind sets{};
  std::uint64_t victims = 0;   // pods whose delete was accepted
  CountsByKind victims_by{};   // the same
  std::uint64_t bindings = 0;  // pods that were placed
  std::uint64_t unbound = 0;   // bindings that were refused, or failed
  std::uint64_t budget_violations = 0;
  std::uint64_t blocked = 0;    // sets that a hard budget stopped once it was to be debited
  std::uint64_t undebited = 0;  // budgets that are preferences, and could not be debited
  cluster::DebitQueue::Counts hard_ledgers{};  // of DisruptionBudgets
  cluster::DebitQueue::Counts soft_ledgers{};
  std::uint64_t refused = 0;         // sets of which no pod was removed
  std::uint64_t useful_flushes = 0;  // the safety net woke a pod that had work: a bug
  std::uint64_t disagreements = 0;   // it fits, but the node has refused it for two minutes
  std::uint64_t fenced_writes = 0;
  std::uint64_t transitions = 0;  // times it became leader
  std::uint64_t unreadable = 0;   // unreadable objects
};

}  // namespace elbowroom::scheduler
