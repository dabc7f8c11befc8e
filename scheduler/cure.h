// What could change a decision about a Deferred resize. The one thing to know: it is a table, one
// row for each outcome; a change that is not in the row cannot help that pod, and where nobody is
// to go any more marks are taken back.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "cluster/change.h"

namespace elbowroom::scheduler {

// What became of a Deferred pod's turn.
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
};
inline constexpr std::size_t kResults = 17;

struct ResultRow {
  TurnResult of = TurnResult::Fits;
  std::string_view name{};  // of metrics
  cluster::Changes cures{};
  bool marks_stand = false;  // whoever is marked for it may still be asked to go
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

inline constexpr std::array<ResultRow, kResults> kResultTable = {{
    {TurnResult::Fits, "fits",
     Change::PodArrived | Change::PodGrew | Change::PodShrank | Change::PodLeft |
         Change::Nominated | Change::Allocatable | Change::Own},
    {TurnResult::Awaits, "awaiting_victims", kChoice},
    {TurnResult::Preempts, "preempt", kChoice, true},
    {TurnResult::Disabled, "disabled",
     Change::NodePolicy | Change::Own | Change::PodLeft | Change::PodShrank | Change::Allocatable},
    {TurnResult::PolicyNever, "policy_never",
     Change::Own | Change::PodLeft | Change::PodShrank | Change::Allocatable},
    {TurnResult::NoVictims, "no_victims", kChoice},
    {TurnResult::NodesTurn, "nodes_turn", kChoice, true},
    {TurnResult::Yields, "yields", kChoice, true},
    {TurnResult::TooMany, "too_many_victims", kChoice},
    {TurnResult::Broken, "broken", kChoice, true},
    {TurnResult::Busy, "busy", Change::RemovalEnded | Change::Own, true},
    {TurnResult::Refused, "refused", kChoice},
    {TurnResult::Overtaken, "overtaken", kRoom | Change::NodePolicy | Change::PodChanged},
    {TurnResult::Outdated, "outdated", Change::Own | Change::PodGrew | Change::PodShrank, true},
    {TurnResult::Failed, "failed", {}, true},
    {TurnResult::Unknown, "unknown_node", Change::Allocatable, true},
    {TurnResult::Unclear, "unclear_node",
     Change::Allocatable | Change::PodLeft | Change::PodArrived, true},
}};

[[nodiscard]] constexpr const ResultRow& row_of(TurnResult result) {
  return kResultTable[static_cast<std::size_t>(result)];
}

}  // namespace elbowroom::scheduler
