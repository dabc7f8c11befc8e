#include "agent/resize_phase.h"

namespace elbowroom::agent {

ResizePhase phase_of(const ReactorState& state, const PodState& pod) {
  if (state.allocating.contains(pod.seen.uid)) return ResizePhase::Saving;
  if (pod.decided_generation != pod.seen.generation) return ResizePhase::Undecided;
  if (pod.decision.verdict == policy::Verdict::Deferred) return ResizePhase::Deferred;
  if (pod.decision.verdict == policy::Verdict::Infeasible) return ResizePhase::Infeasible;
  return pod.resizing ? ResizePhase::Actuating : ResizePhase::Settled;
}

}  // namespace elbowroom::agent
