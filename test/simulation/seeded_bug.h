// Deliberate bugs that the simulation must detect, or it proves nothing. test/simulation/bugs
// patches them into copies of the product's sources, where one of them is active at a time.
#pragma once

#include <cstdint>

namespace elbowroom {

enum class SeededBug : std::uint8_t {
  None,
  ActsBeforeSaved,          // actuates an allocation before it is saved
  BelievesLostWrites,       // never repeats a status write, whatever the watch shows
  RetriesAtOnce,            // retries a refused status write without backoff
  ReplaysRemovals,          // after a restart, deletes the victims of an earlier intent again
  SkipsDryRun,              // deletes two victims without a dry run for each
  ClearsPendingEarly,       // clears the pending condition while room is still being made
  CountsTerminatingAsGone,  // allots room that a terminating pod still holds
  TakesDeadlinesFromWall,   // computes deadlines from wall time
  AddsLists,                // a list does not remove what is missing from it
  LosesUnreadable,          // treats an unreadable pod as absent
  DropsDone,                // ignores what was done while the API server was unavailable
  JudgesWithoutRuntime,     // allocates while the runtime is unavailable
  JudgesWithoutApi,         // ... or the API server
  ForgetsWhomItAskedToGo,   // chooses a victim again before the watch shows it terminating
  PreemptsAfterItsTurn,     // makes room long after the scheduler took over
  KeepsPreemptionDisabled,  // keeps the condition when the policy allows preemption again
  TakesFailedSaveForDone,   // treats a save as done although the disk is full
  SpendsShrinksAtOnce,      // allots room that a shrinking pod still holds
  CarriesOutOlderCopy,  // with a bad checkpoint, acts on the previous copy before reading the API
  DeletesBeforeIntentIsDurable,
  BelievesOldCheckpoint,  // trusts a whole but old checkpoint over API and runtime
  ClearsOthersCondition,  // removes another writer's PodResizePreemptionDisabled
  ForgetsWhatWent,        // resets the circuit breaker at every start
  ChecksNoMemory,         // lowers memory limits below what is in use
  RebuildsFromDesired,    // takes the spec for the allocation of a pod that its checkpoint lacks
  IgnoresCheckpoint,      // ... or of every pod, after each start
  HasNoBreaker,           // removes pods as often as it likes
  SyncsNoCheckpoint,      // reports a checkpoint as durable before its bytes are
  SyncsNoFolder,          // ... or its name is
  RaisesContainersFirst,  // raises a container's memory before its pod's
  // Of the scheduler.
  RemovesUnmarked,       // deletes victims without marking them
  RemovesUnchecked,      // deletes a set of victims without a dry run
  TakesNoLastLook,       // deletes the set although the node has changed meanwhile
  ForgetsVictims,        // chooses again before the watch shows the first victims terminating
  ForgetsAtHandover,     // ... when the Lease was lost and won again in between
  KeepsStaleMarks,       // keeps stale marks
  ChoosesAnew,           // does not prefer the victims marked by an earlier leader
  MissesPodLeft,         // requeues no pod when a pod is deleted
  MissesRemovalEnd,      // requeues no pod when a set of victims is done
  KeepsWaiting,          // applies what was known of one resize to the next
  IgnoresFence,          // leads forever, once it has led
  ActsUnseeing,          // decides on stale state after the watch was lost
  IgnoresYield,          // takes the other scheduler's turn
  IgnoresContradiction,  // removes one of two pods that cannot be distinguished
  KeepsUnlistedPods,     // a list of pods does not remove what is missing from it
  NeverLooksAgain,       // requeues no pod at its own deadlines
  ForgetsRecord,         // the circuit breaker ignores its record
  // In the scheduler, when it places pending pods.
  GivesRoomTwice,          // does not count assumed pods
  GivesLostBindingsAway,   // treats a binding whose answer was lost as not done
  NeverBindsAgain,         // ... or as done
  BindsBeforeVolumes,      // does not wait until a pod's claims are bound
  BindsUnlooked,           // does not look at the node once more when they are
  RemovesWithoutNode,      // removes a pod that only waits for its volumes
  TakesClaimsForMissing,   // wakes a pod with claims only for its claims
  JudgesGated,             // ignores scheduling gates
  ReturnsToRefuser,        // does not avoid a node that rejected a pod
  PromisesNothing,         // lets others take the room that is being made
  KeepsNomination,         // keeps the nomination of a pod that cannot be placed any more
  KeepsOutranked,          // ... and of a pod whose room was given to a more important pod
  ForgetsUnwritten,        // does not repeat failed writes about a pending pod
  TakesNoLastLookForPods,  // deletes the set although the pod fits now
  BelievesEqualsForEver,   // applies one pod's refusal to all pods of the same signature, forever
  // In the scheduler, about pod groups.
  BindsPartOfGang,       // binds what fits, although minCount needs more
  CountsLeavingMembers,  // counts a terminating member as one that stays
  RemovesFirstOfWhole,   // removes one pod of a group that is removed as one
  MissesGroup,           // wakes no pod when its group comes
  AsksForNoGroup,        // removes victims without asking the API server for the group
  ForgetsBoundMembers,   // counts only what it bound itself
  KeepsGangNominations,  // keeps the nominations of a gang that cannot be placed any more
  BindsBesideVictims,    // does not wait for the last of its victims
  PlacesStrangersGang,   // places a gang of which another scheduler has a pod
  PlacesRefusedGroups,   // places pods of groups that are not supported
  TakesPlacedBack,       // says of a group that was placed that it is not
  SaysPlacedTooEarly,    // says of a group that it is placed before minCount is
  // In the scheduler, about DisruptionBudgets.
  DebitsNothing,         // enters no victim
  DeletesBeforeDebits,   // does not wait for the answers of the ledgers
  RemovesThoughRefused,  // deletes although a hard budget refuses
  PassesHardBudgets,     // ... although a hard budget cannot be written
  BelievesConflicts,     // takes a conflict for a write
  ForgetsOtherEntries,   // writes a ledger without the entries that are there
  EntersTwice,           // enters a uid that is there
  AsksNoHardBudget,      // enters victims whatever a hard budget allows
  DatesBack,             // enters victims with a time long ago
  TakesBackWhatWent,     // refunds the entries of pods that were removed
  // Of the rescheduler, when it moves pods.
  EvictsBeforeDebit,   // does not wait for the answers of the ledgers
  EvictsAnyUid,        // leaves out the precondition of an eviction
  ForgetsRests,        // begins without the record of rests
  NeverRests,          // lets an owner go on once its pod has come up
  IgnoresHourlyLimit,  // moves more pods than an hour allows
  MovesWithoutLease,   // moves pods although another process leads
  IgnoresNodeLimit,    // ... or than an hour allows off one node
  IgnoresReserve,      // leaves nothing in a budget
  ProtectsNoData,      // moves pods whose data is on their node
  AcceptsAnyGain,      // moves pods for less than minGain
};

// The active bug. Set by a test; one thread.
[[nodiscard]] SeededBug& seeded_bug();
[[nodiscard]] inline bool seeded(SeededBug bug) { return seeded_bug() == bug; }

}  // namespace elbowroom
