// Bugs that are there to be found: what the simulation must notice, or it proves nothing. Seeded()
// is constant false in every program that is shipped or tested; only the copies of agent and
// scheduler that are compiled with ELBOWROOM_SEEDED_BUGS have them, one at a time.
#pragma once

#include <cstdint>

namespace elbowroom {

enum class SeededBug : std::uint8_t {
  None,
  ActsBeforeSaved,          // carries out an allocation that is being saved
  BelievesLostWrites,       // a status write is not repeated, whatever the watch shows
  RetriesAtOnce,            // a refused status write is tried again without a wait
  ReplaysRemovals,          // deletes what an intent of its former life names
  SkipsDryRun,              // deletes two without having asked for each
  ClearsPendingEarly,       // no longer says why a pod waits while room is being made
  CountsTerminatingAsGone,  // gives away what a terminating pod still holds
  TakesDeadlinesFromWall,   // our deadlines follow the time of day
  AddsLists,                // a list does not take away what is not in it
  LosesUnreadable,          // a pod that cannot be understood is not there
  DropsDone,                // what was done while the API server was away is not taken in
  JudgesWithoutRuntime,     // allocates while the runtime is away
  JudgesWithoutApi,         // ... or the API server
  ForgetsWhomItAskedToGo,   // chooses a victim again before the watch shows it going
  PreemptsAfterItsTurn,     // makes room long after the scheduler took over
  KeepsPreemptionDisabled,  // the condition stays when the policy allows again
  TakesFailedSaveForDone,   // a disk that is full has saved
  SpendsShrinksAtOnce,      // gives away what a shrinking pod still has
  CarriesOutOlderCopy,      // acts on the copy before a bad checkpoint before it asked the API
  DeletesBeforeIntentIsDurable,
  BelievesOldCheckpoint,  // one that is whole, whatever API and runtime show
  ClearsOthersCondition,  // PodResizePreemptionDisabled goes, whoever set it
  ForgetsWhatWent,        // the circuit breaker begins again with every start
  // Of the scheduler.
  RemovesUnmarked,       // deletes without having marked anybody
  RemovesUnchecked,      // deletes a set without a dry run
  TakesNoLastLook,       // the set goes whatever became of the node meanwhile
  ForgetsVictims,        // chooses again before the watch shows the first ones going
  ForgetsAtHandover,     // ... when the Lease was lost and won again in between
  KeepsStaleMarks,       // a mark that means nothing any more stays
  ChoosesAnew,           // who was marked by an earlier leader is not taken first
  MissesPodLeft,         // nobody is woken when a pod leaves
  MissesRemovalEnd,      // nobody is woken when a set is done with
  KeepsWaiting,          // what was known of a resize is believed of the next one
  IgnoresFence,          // leads for ever, once it has led
  ActsUnseeing,          // decides by what it saw before the watch was lost
  IgnoresYield,          // takes the other scheduler's turn
  IgnoresContradiction,  // removes one of two pods that cannot be told apart
  KeepsUnlistedPods,     // a list of pods does not take away what is not in it
  NeverLooksAgain,       // no deadline of its own wakes anybody
  ForgetsRecord,         // the circuit breaker does not count what its record says
  // Of the scheduler, where it places pending pods.
  GivesRoomTwice,          // what is being bound is not believed to be there
  GivesLostBindingsAway,   // a binding whose answer was lost is taken for not done
  NeverBindsAgain,         // ... or for done
  JudgesGated,             // scheduling gates are not looked at
  ReturnsToRefuser,        // a node that turned a pod out is not avoided
  PromisesNothing,         // others take the room that is being made
  KeepsNomination,         // who cannot be placed any more stays nominated
  KeepsOutranked,          // ... and whose room was given to a more important one
  ForgetsUnwritten,        // what could not be written of a pending pod is not written again
  TakesNoLastLookForPods,  // the set goes although the pod fits by now
  BelievesEqualsForEver,   // what was refused to one is refused to all that are like it, for ever
};

#ifdef ELBOWROOM_SEEDED_BUGS
inline namespace with_bugs {
// The one that is there now. A test's own; one thread.
[[nodiscard]] SeededBug& seeded_bug();
[[nodiscard]] inline bool seeded(SeededBug bug) { return seeded_bug() == bug; }
}  // namespace with_bugs
#else
[[nodiscard]] constexpr bool seeded(SeededBug /*bug*/) { return false; }
#endif

}  // namespace elbowroom
