// The part of the reactor that admits pods: those that are bound to the node and have not begun.
// Their pod runner starts at once what fits beside all that others have asked for. Whatever does
// not, it starts once this agent has acknowledged it: the agent knows what is promised, and makes
// room.
#include <utility>

#include "agent/reactor.h"
#include "policy/model/charge.h"
#include "policy/model/rejected_pods.h"

namespace elbowroom::agent {

// `by_requests`: beside what the others have asked for. Otherwise beside what they hold.
std::optional<policy::Rejection> Reactor::rejection_beside(const PodState& state,
                                                           bool by_requests) const {
  policy::ChargeSum others;
  others.leave_out(policy::shareable_claims(state.seen));
  std::int64_t pods = 0;
  for (const auto& [uid, other] : state_.pods) {
    if (uid == state.seen.uid || !policy::holds_room(other.view)) continue;
    if (policy::never_fits(*state_.node, other.seen)) continue;
    const bool has_begun = !policy::awaits_admission(other.seen) || state_.reports.contains(uid);
    if (!has_begun && !policy::is_admitted_before(other.seen, state.seen)) continue;
    others.add(other.view,
               by_requests ? policy::cluster_charge(other.view) : policy::held_charge(other.view));
    ++pods;
  }
  return policy::rejection_of(*state_.node, state.seen, {.amounts = others.total(), .pods = pods});
}

void Reactor::note_admissions() {
  for (auto& [uid, state] : state_.pods) {
    const bool awaits = state_.node && policy::awaits_admission(state.seen) &&
                        !policy::is_terminating(state.view) && !state_.reports.contains(uid) &&
                        !state_.durable.pods.contains(uid) &&
                        !policy::never_fits(*state_.node, state.seen);
    const bool asks = awaits && rejection_beside(state, true);
    if (std::exchange(state.asks_admission, asks) == asks) continue;
    if (!asks) {  // what was decided was no resize
      state.decision = {};
      state.decided_generation = -1;
      state.deferred_since.reset();
    }
    refresh_view(state);
  }
}

// Room is made for it, or is on its way.
bool Reactor::may_get_room(const PodState& state) const {
  if (!makes_room_for_critical(state)) return false;
  const std::optional<RemovalIntent>& intent = state_.removal.intent();
  if (intent && intent->preemptor_uid == state.seen.uid) return true;
  const std::vector<policy::Pod> pods = planning_views({});
  const auto outcome = planned(state, pods, state_.budgets.walls(state_.now.wall)).outcome;
  if (outcome == policy::PreemptionOutcome::AwaitingVictims) return true;
  return outcome == policy::PreemptionOutcome::Preempt && is_our_turn(state);
}

// A pod is acknowledged once its allocation is durable. Of one that is rejected no later version
// is, because its runner may have started it meanwhile.
void Reactor::plan_admission(PodState& state) {
  WriteStatus write{.pod_uid = state.seen.uid, .ns = state.seen.ns, .name = state.seen.name};
  if (state_.durable.pods.contains(state.seen.uid)) {
    if (state.seen.started) return;
    write.started = state_.now.wall;
    return hand_in(state, std::move(write));
  }
  if (!state.asks_admission || !state_.runtime_trouble.empty()) return;
  auto rejection = rejection_beside(state, false);
  if (!rejection) return;
  const ResizePhase is = phase(state);
  const bool is_judged = is == ResizePhase::Deferred || is == ResizePhase::Infeasible;
  if (!is_judged || may_get_room(state)) return;
  if (std::exchange(state.announced, "rejected") != "rejected") {
    say(state.seen, EventReason::PodRejected, rejection->message);
  }
  write.rejected = *std::move(rejection);
  write.read_at = state.seen.resource_version;
  hand_in(state, std::move(write));
}

}  // namespace elbowroom::agent
