// How far the newest resize of a pod is, from the reactor's state. It is derived, never stored.
//
//   Undecided --judged--> Settled      the spec asks for nothing new
//    |     ^ |---judged--> Infeasible   until the spec changes
//    |     | `---judged--> Deferred
//    |  failed               | judged again: there is room
//    |     |                 v
//    `-----+---judged--> Saving --durable--> Actuating --the runtime shows it--> Settled
//
// A change of the spec makes the resize Undecided, once an allocation that is Saving was saved.
#pragma once

#include "agent/pod_state.h"
#include "agent/reactor_state.h"

namespace elbowroom::agent {

enum class ResizePhase {
  Undecided,   // the present spec has not been judged; in companion it never is
  Deferred,    // it waits for room; an earlier allocation may still be actuated
  Infeasible,  // the same, but it never fits
  Saving,      // allocated, and the allocation is not durable yet
  Actuating,   // the allocation is durable, and the runtime has not shown it yet
  Settled,     // nothing is to be carried out
};

// `pod` is one of the pods of `state`.
[[nodiscard]] ResizePhase phase_of(const ReactorState& state, const PodState& pod);

}  // namespace elbowroom::agent
