// Bugs that are there to be found: what the simulation must notice, or it proves nothing. The one
// thing to know: seeded() is constant false in every program that is shipped or tested; only the
// copy of the agent that is compiled with ELBOWROOM_SEEDED_BUGS has the bugs, one at a time.
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
