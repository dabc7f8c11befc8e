// What could change a decision about a Deferred resize or a pending pod. It is a table, one row for
// each outcome; a change that is not in the row cannot help that pod, and where nobody is to go any
// more marks are taken back.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "cluster/change.h"

namespace elbowroom::scheduler {

// What became of a pod's turn.
enum class TurnResult : std::uint8_t {
  Fits,         // by now, and waits for the node
  Awaits,       // room on its way is enough
  Preempts,     // the removal of a set has begun
  Disabled,     // the node's policy, or a condition of the pod
  PolicyNever,  // the pod's preemptionPolicy
  NoVictims,    // nobody may be removed, or all who may would not be enough
  NodesTurn,    // the node makes room for critical pods itself
  Yields,       // another scheduler is given the first turn
  TooMany,      // more would have to go than one node may lose at once
  Broken,       // the circuit breaker
  Busy,         // pods go for another resize of the same node
  Refused,      // a mark or a dry run was refused: nobody was removed
  Overtaken,    // the node changed before the first delete: nobody was removed
  Outdated,     // the API server knows more of the pod than the watch has shown: nobody was removed
  Failed,       // an error in the middle of the deletes
  Unknown,      // the Node is not known
  Unclear,      // what the Node's pods hold is not known: one is not understood, or is there twice
  // Of pending pods alone.
  Binds,          // a node takes it
  Unschedulable,  // no node takes it, and removing others does not help
  Gated,          // it has scheduling gates
};
inline constexpr std::size_t kResults = 20;

struct ResultRow {
  TurnResult of = TurnResult::Fits;
  std::string_view name{};           // of metrics
  cluster::Changes requeue_hints{};  // on its node; of a pending pod: that it is nominated to
  bool marks_stand = false;          // whoever is marked for it may still be asked to go
  cluster::Changes anywhere{};       // of a pending pod: on any node
};

using cluster::Change;

// What brings room, takes room, or changes who could go.
inline constexpr cluster::Changes kRoom = Change::PodLeft | Change::PodShrank | Change::PodArrived |
                                          Change::PodGrew | Change::PodLeaving | Change::Nominated |
                                          Change::Allocatable | Change::Own;

// Whatever could make the choice another one, or forbid it.
inline constexpr cluster::Changes kChoice = kRoom | Change::Ready | Change::PodChanged |
                                            Change::Budget | Change::NodePolicy |
                                            Change::CriticalBy;

// What lets a pending pod go where it could not, or where others may go for it now. A promise that
// ends is told as a pod that left.
inline constexpr cluster::Changes kPlace = Change::PodLeft | Change::PodShrank |
                                           Change::PodLeaving | Change::Allocatable |
                                           Change::Ready | Change::Budget | Change::Placing;

// The same for one to which it matters which pods are beside it.
inline constexpr cluster::Changes kCompany = kPlace | Change::PodArrived | Change::PodChanged;

// What on any node wakes a pending pod that was parked with that result.
[[nodiscard]] constexpr cluster::Changes anywhere_for(const ResultRow& row, bool looks_around) {
  return looks_around && !row.anywhere.empty() ? kCompany : row.anywhere;
}

inline constexpr std::array<ResultRow, kResults> kResultTable = {{
    {TurnResult::Fits, "fits",
     Change::PodArrived | Change::PodGrew | Change::PodShrank | Change::PodLeft |
         Change::Nominated | Change::Allocatable | Change::Own},
    {TurnResult::Awaits, "awaiting_victims", kChoice, false, kPlace},
    {TurnResult::Preempts, "preempt", kChoice, true, kPlace},
    {TurnResult::Disabled, "disabled",
     Change::NodePolicy | Change::Own | Change::PodLeft | Change::PodShrank | Change::Allocatable},
    {TurnResult::PolicyNever, "policy_never",
     Change::Own | Change::PodLeft | Change::PodShrank | Change::Allocatable},
    {TurnResult::NoVictims, "no_victims", kChoice},
    {TurnResult::NodesTurn, "nodes_turn", kChoice, true},
    {TurnResult::Yields, "yields", kChoice, true},
    {TurnResult::TooMany, "too_many_victims", kChoice, false, kPlace},
    {TurnResult::Broken, "broken", kChoice, true, kPlace},
    {TurnResult::Busy, "busy", Change::RemovalEnded | Change::Own, true, kPlace},
    {TurnResult::Refused, "refused", kChoice, false, kPlace},
    {TurnResult::Overtaken, "overtaken", kRoom | Change::NodePolicy | Change::PodChanged, false,
     kPlace},
    {TurnResult::Outdated, "outdated", Change::Own | Change::PodGrew | Change::PodShrank, true},
    {TurnResult::Failed, "failed", {}, true},
    {TurnResult::Unknown, "unknown_node", Change::Allocatable, true},
    {TurnResult::Unclear, "unclear_node",
     Change::Allocatable | Change::PodLeft | Change::PodArrived, true},
    {TurnResult::Binds, "bind", {}},
    {TurnResult::Unschedulable, "unschedulable", Change::Own, false, kPlace},
    {TurnResult::Gated, "gated", Change::Own},
}};

[[nodiscard]] constexpr const ResultRow& row_of(TurnResult result) {
  return kResultTable[static_cast<std::size_t>(result)];
}

}  // namespace elbowroom::scheduler
