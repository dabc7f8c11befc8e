// The changes that can alter a decision about a Deferred resize or a pending pod: a table with one
// row for each result. A change that is not in the row cannot help that pod. The row also says
// whether the victims' marks stay or are removed.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "cluster/change.h"

namespace elbowroom::scheduler {

// The result of a pod's turn.
enum class TurnResult : std::uint8_t {
  Fits,         // now; it waits for the node
  Awaits,       // room on its way suffices
  Preempts,     // the removal of a set has begun
  Disabled,     // the node's policy, or a condition of the pod
  PolicyNever,  // the pod's preemptionPolicy
  NoVictims,    // no pod may be removed, or all removable ones do not suffice
  NodesTurn,    // the node makes room for critical pods itself
  Yields,       // another scheduler has the first turn
  TooMany,      // more victims than one node may lose at once
  Broken,       // the circuit breaker refuses
  Busy,         // victims are being removed for another resize of the same node
  Refused,      // a mark or a dry run was refused: no pod was removed
  Overtaken,    // the node changed before the first delete: no pod was removed
  Outdated,     // the watch is stale compared to the API server: no pod was removed
  Failed,       // an error between the deletes
  Unknown,      // the Node is not known
  Unclear,      // a pod of the Node is unreadable, or listed twice: what it holds is unknown
  // Of pending pods alone.
  Binds,          // a node accepts it
  Unschedulable,  // no node accepts it, and preemption does not help
  Gated,          // it has scheduling gates
};
inline constexpr std::size_t kResults = 20;

struct ResultRow {
  TurnResult of = TurnResult::Fits;
  std::string_view name{};           // of metrics
  cluster::Changes requeue_hints{};  // on its node; of a pending pod: its nominated one
  bool marks_stand = false;          // pods marked for it may still be removed
  cluster::Changes anywhere{};       // of a pending pod: on any node
};

using cluster::Change;

// Changes that add or take room, or alter the potential victims.
inline constexpr cluster::Changes kRoom = Change::PodLeft | Change::PodShrank | Change::PodArrived |
                                          Change::PodGrew | Change::PodLeaving | Change::Nominated |
                                          Change::Allocatable | Change::Own;

// Changes that can alter or forbid the choice.
inline constexpr cluster::Changes kChoice = kRoom | Change::Ready | Change::PodChanged |
                                            Change::Budget | Change::NodePolicy |
                                            Change::CriticalBy;

// Changes that make a node feasible for a pending pod, or possible by preemption. Forgetting an
// assumed pod counts as a pod that left.
inline constexpr cluster::Changes kPlace = Change::PodLeft | Change::PodShrank |
                                           Change::PodLeaving | Change::Allocatable |
                                           Change::Ready | Change::Budget | Change::Placing;

// The same for a pod to which other pods beside it matter.
inline constexpr cluster::Changes kCompany = kPlace | Change::PodArrived | Change::PodChanged;

// Returns which changes on any node wake a pending pod parked with that result.
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
