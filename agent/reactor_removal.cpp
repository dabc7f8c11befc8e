// The reactor's part that makes room for critical pods.
#include <algorithm>
#include <utility>

#include "agent/reactor.h"
#include "policy/order.h"
#include "policy/removal_mark.h"
#include "policy/resize_preemption.h"

namespace elbowroom::agent {
namespace {

// Afterwards it is the scheduler's turn: two preemptors for one pod are a defect.
constexpr std::chrono::seconds kOurTurn{20};

constexpr std::chrono::seconds kShrinkMayTake{60};

constexpr std::string_view kMarkMessage =
    "Pod was preempted by the node to accommodate a critical pod";

}  // namespace

std::vector<const PodState*> Reactor::waiting_critical_pods() const {
  std::vector<std::pair<policy::RetryKey, const PodState*>> keyed;
  for (const auto& [uid, state] : pods_) {
    const bool ours = state.decision.verdict == policy::Verdict::Deferred &&
                      policy::is_critical(state.seen) && state.deferred_since &&
                      now_.since_start - *state.deferred_since <= kOurTurn;
    if (ours) keyed.emplace_back(policy::retry_key(state.view, state.arrival), &state);
  }
  std::ranges::sort(keyed, {}, [](const auto& entry) { return entry.first; });
  std::vector<const PodState*> waiting;
  for (const auto& [key, state] : keyed) waiting.push_back(state);
  return waiting;
}

void Reactor::plan_removal(Checkpoint& proposed) {
  // The Node's annotation tells the scheduler to leave critical pods to us: not before it stands.
  if (!preempts_for_critical_pods() || !node_->critical_preemption_by_node) return;
  if (removal_.busy() || !removal_backoff_.allows(now_.since_start)) return;
  for (const PodState* preemptor : waiting_critical_pods()) {
    if (begin_removal(*preemptor, proposed)) return;
  }
}

bool Reactor::begin_removal(const PodState& preemptor, Checkpoint& proposed) {
  const std::vector<policy::Pod> pods = views();
  policy::Lapsed lapsed;
  for (const auto& [uid, state] : pods_) {
    if (state.overdue_at && now_.since_start >= *state.overdue_at) lapsed.overdue.insert(uid);
    const bool slow =
        unsettled(state) &&
        (!state.allocated_at || now_.since_start - *state.allocated_at >= kShrinkMayTake);
    if (slow) lapsed.stuck_shrinks.insert(uid);
  }
  const policy::Budgets no_budgets;
  const policy::ResizePreemption plan = policy::plan_resize_preemption({.node = *node_,
                                                                        .pods = pods,
                                                                        .nominated = {},
                                                                        .budgets = no_budgets,
                                                                        .lapsed = lapsed,
                                                                        .critical_by_node = true,
                                                                        .now = now_.wall},
                                                                       preemptor.seen.uid);
  if (plan.outcome != policy::PreemptionOutcome::Preempt) return false;
  if (!removal_.allowed(preemptor.seen.uid, plan.victims.size(), now_.since_start)) {
    say_blocked(preemptor, plan.victims.size());
    return false;
  }

  RemovalIntent intent{.preemptor_uid = preemptor.seen.uid,
                       .generation = preemptor.seen.generation};
  std::vector<MarkVictim> marks;
  for (const policy::ChosenVictim& each : plan.victims) {
    const Victim victim{each.pod->uid, each.pod->ns, each.pod->name};
    intent.victims.push_back(victim);
    marks.push_back({.victim = victim,
                     .condition = policy::marking_condition(
                         *each.pod, policy::kReasonTerminationByKubelet, kMarkMessage,
                         {intent.preemptor_uid, intent.generation}, now_.wall)});
  }
  proposed.removals.push_back(intent);
  removal_.begin(std::move(intent), std::move(marks));
  return true;
}

// The circuit breaker speaks once for each resize it stops.
void Reactor::say_blocked(const PodState& preemptor, std::size_t victims) {
  const std::string resize = preemptor.seen.uid + "/" + std::to_string(preemptor.seen.generation);
  if (!blocked_said_.insert(resize).second) return;
  if (blocked_said_.size() > 1000) blocked_said_.erase(blocked_said_.begin());
  ++counts_.removals_blocked;
  say(preemptor.seen, true, "EvictionBlocked", "Preempting",
      "The node would have to remove " + std::to_string(victims) +
          " pods, more than its circuit breaker allows: " +
          std::to_string(CriticalRemoval::kMostSetsPerPod) + " sets for one pod and " +
          std::to_string(CriticalRemoval::kMostPodsPerNode) + " pods of the node in 10 minutes");
}

void Reactor::take_removal_steps() {
  if (removal_.take_refusal()) removal_backoff_.fail(now_.since_start, {}, jitter_);
  for (const CriticalRemoval::Step& step : removal_.take_steps()) {
    if (const auto* mark = std::get_if<MarkVictim>(&step)) {
      emit(*mark, Doing::Remove, mark->victim.uid);
      continue;
    }
    const auto& removal = std::get<DeleteVictim>(step);
    in_flight_[emit(removal, Doing::Remove, removal.victim.uid)].removes = !removal.dry_run;
    const auto at = pods_.find(removal.victim.uid);
    if (removal.dry_run || at == pods_.end()) continue;
    ++counts_.removals;
    const auto preemptor = pods_.find(removal_.intent()->preemptor_uid);
    const std::string whom = preemptor == pods_.end() ? removal_.intent()->preemptor_uid
                                                      : policy::key_of(preemptor->second.seen);
    say(at->second.seen, true, "Preempting", "Preempting",
        "Preempted in order to admit the resize of critical pod " + whom);
  }
}

// A mark of ours whose resize is no longer Deferred means nothing any more.
void Reactor::clear_stale_marks() {
  if (removal_.busy() || !can_judge()) return;
  for (auto& [uid, state] : pods_) {
    if (policy::is_terminating(state.seen) || unmarking_.contains(uid)) continue;
    const auto mark = policy::removal_mark(state.seen);
    const policy::Condition* target =
        policy::find_condition(state.seen.conditions, policy::kDisruptionTarget);
    if (!mark || target->reason != policy::kReasonTerminationByKubelet) continue;
    const auto preemptor = pods_.find(mark->uid);
    const bool stands = preemptor != pods_.end() &&
                        preemptor->second.seen.generation == mark->generation &&
                        preemptor->second.decision.verdict == policy::Verdict::Deferred;
    if (stands || !state.write_backoff.allows(now_.since_start)) continue;
    unmarking_.insert(uid);
    emit(
        MarkVictim{
            .victim = {uid, state.seen.ns, state.seen.name}, .condition = *target, .clear = true},
        Doing::Unmark, uid);
  }
}

}  // namespace elbowroom::agent
