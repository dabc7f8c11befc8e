// The part of the reactor that makes room for critical pods.
#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include "agent/reactor.h"
#include "policy/model/charge.h"
#include "policy/model/rejected_pods.h"
#include "policy/model/removal_mark.h"
#include "policy/preemption/resize_preemption.h"
#include "policy/resize/resize.h"
#include "policy/resize/retry_order.h"

namespace elbowroom::agent {
namespace {

using std::chrono::milliseconds;

// Afterwards it is the scheduler's turn: two preemptors for one pod are a defect.
constexpr std::chrono::seconds kOurTurn{20};

constexpr std::chrono::seconds kShrinkMayTake{60};

// Counted sets from before a restart; more than the breaker ever allowed within its window.
constexpr std::size_t kMostRemembered = 64;

constexpr std::size_t kMostSaid = 1'000;

constexpr std::string_view kMarkMessage =
    "Pod was preempted by the node to accommodate a critical pod";

bool goes(const policy::Pod& pod, const std::vector<policy::ChosenVictim>& victims) {
  return std::ranges::any_of(
      victims, [&](const policy::ChosenVictim& each) { return each.pod->uid == pod.uid; });
}

}  // namespace

// The Node's annotation tells the scheduler to leave resizes of critical pods to us, so it must be
// visible first. For a new pod of this node no scheduler makes room, and a kubelet does in any
// case.
bool Reactor::makes_room_for_critical(const PodState& state) const {
  if (!policy::is_critical(state.seen) || !state_.node) return false;
  if (state.asks_admission) {
    return options_.kubelet || options_.critical_preemption.value_or(true);
  }
  return preempts_for_critical_pods() && state_.node->critical_preemption_by_node;
}

// True if this node makes room for the Deferred pod now.
bool Reactor::is_our_turn(const PodState& state) const {
  const auto began = turn_began(state);
  return makes_room_for_critical(state) && began && (state_.now.since_start - *began <= kOurTurn);
}

// In retry order, up to the last one for which it is our turn.
std::vector<const PodState*> Reactor::waiting_pods() const {
  std::vector<std::pair<policy::RetryKey, const PodState*>> keyed;
  for (const auto& [uid, state] : state_.pods) {
    if (phase(state) != ResizePhase::Deferred) continue;
    keyed.emplace_back(policy::retry_key(state.view, state.arrival), &state);
  }
  std::ranges::sort(keyed, {}, [](const auto& entry) { return entry.first; });
  std::vector<const PodState*> waiting;
  for (const auto& [key, state] : keyed) waiting.push_back(state);
  while (!waiting.empty() && !is_our_turn(*waiting.back())) waiting.pop_back();
  return waiting;
}

// When that intent's pod was deferred, on our clock; nothing if the boot differs, or if the time is
// in the future.
std::optional<milliseconds> Reactor::deferred_at(const RemovalIntent& intent) const {
  if (intent.boot.empty() || intent.boot != options_.boot.id) return std::nullopt;
  const milliseconds at = intent.deferred_at - std::max(options_.boot.at_start, milliseconds(0));
  return at <= state_.now.since_start ? std::optional(at) : std::nullopt;
}

// A scheduler may have seen a Deferred from before a restart for any time. For such a pod, only the
// time on disk tells whether it is our turn yet.
std::optional<milliseconds> Reactor::turn_began(const PodState& state) const {
  if (!state.deferred_since || state.deferred_anew) return state.deferred_since;
  for (const RemovalIntent& intent : state_.durable.removals) {
    const bool same =
        intent.preemptor_uid == state.seen.uid && intent.generation == state.seen.generation;
    if (const auto at = same ? deferred_at(intent) : std::nullopt) return at;
  }
  return std::nullopt;
}

// The end of our turn for it; nothing if unknown.
std::optional<milliseconds> Reactor::last_moment(const RemovalIntent& intent) const {
  const auto at = deferred_at(intent);
  return at ? std::optional(*at + kOurTurn) : std::nullopt;
}

bool Reactor::is_over(const RemovalIntent& intent) const {
  if (intent.boot.empty()) return false;  // unknown
  const auto at = last_moment(intent);
  return !at || *at < state_.now.since_start;
}

// Restores the circuit breaker's count from before a restart. How long ago a removal was is known
// within one boot of the machine; otherwise it counts as now.
void Reactor::remember_counted() {
  std::deque<RemovalProgress::Removed> removed;
  for (const CountedSet& each : state_.durable.counted) {
    const bool is_known = !each.boot.empty() && each.boot == options_.boot.id;
    const milliseconds started = std::max(options_.boot.at_start, milliseconds(0));
    const milliseconds at =
        is_known ? std::min(each.at - started, milliseconds(0)) : milliseconds(0);
    if (at <= -CriticalRemoval::kWindow) continue;
    removed.push_back({at, each.preemptor_uid, each.victims, each.victim});
  }
  while (removed.size() > kMostRemembered) removed.pop_front();
  state_.removal.remember(std::move(removed));
}

// The present count, for use after a restart.
std::vector<CountedSet> Reactor::counted_sets() const {
  std::vector<CountedSet> sets;
  for (const RemovalProgress::Removed& each : state_.removal.progress().removed) {
    if (state_.now.since_start - each.at >= CriticalRemoval::kWindow) continue;
    sets.push_back({.preemptor_uid = each.preemptor_uid,
                    .victims = each.victims,
                    .boot = options_.boot.id,
                    .at = std::max(options_.boot.at_start, milliseconds(0)) + each.at,
                    .victim = each.victim});
  }
  return sets;
}

void Reactor::plan_removal(Checkpoint& proposed) {
  if (state_.removal.busy() || !state_.removal_backoff.allows(state_.now.since_start)) return;
  // What a budget says before our own victims are in its ledger is not what it allows.
  if (is_doing(Doing::Debit)) return;
  state_.budgets.drop_old(state_.now.since_start);
  std::vector<const PodState*> stopped;
  for (const PodState* waits : waiting_pods()) {
    if (begin_removal(*waits, stopped, proposed)) return;
  }
}

// The pods as a plan sees them. A pod for which we remove no victims gets no room from us, so none
// is reserved for it. One that waits for its admission takes room as a Deferred resize does.
std::vector<policy::Pod> Reactor::planning_views(
    const std::vector<const PodState*>& stopped) const {
  std::vector<policy::Pod> pods = views();
  for (policy::Pod& pod : pods) {
    const PodState& state = state_.pods.at(pod.uid);
    const bool is_stopped = std::ranges::find(stopped, &state) != stopped.end();
    const bool waits = state.asks_admission && phase(state) == ResizePhase::Deferred;
    if (!is_stopped && !waits) continue;
    std::erase_if(pod.conditions, [](const policy::Condition& each) {
      return each.type == policy::kPodResizePending;
    });
    if (is_stopped) continue;
    pod.conditions.push_back({.type = std::string(policy::kPodResizePending),
                              .status = "True",
                              .reason = std::string(policy::kReasonDeferred)});
  }
  return pods;
}

// Returns whether that resize could be allocated with only those other pods.
template <class Stays>
bool Reactor::fits_beside(const PodState& waits, Stays stays) const {
  policy::ChargeSum others;
  others.leave_out(policy::shareable_claims(waits.view));
  for (const auto& [uid, state] : state_.pods) {
    if (uid != waits.seen.uid && policy::holds_room(state.view) && stays(state) &&
        !policy::never_fits(*state_.node, state.view)) {
      others.add(state.view, policy::held_charge(state.view));
    }
  }
  return policy::decide_resize(*state_.node, waits.view, others.total(), options_.managers)
             .verdict == policy::Verdict::Allocated;
}

// Returns whether the resize of `waits`, which is retried first, would take the freed room: of the
// victims alone or, if `preemptor` has to wait for those too, of pods that terminate anyway and not
// for another pod.
bool Reactor::would_take_room_of(const std::vector<policy::ChosenVictim>& victims,
                                 const PodState& waits, const PodState& preemptor) const {
  const auto stays = [&](const PodState& each) { return !goes(each.view, victims); };
  if (fits_beside(waits, stays)) return true;
  if (fits_beside(preemptor, stays)) return false;
  return fits_beside(waits, [&](const PodState& each) {
    const bool leaving = each.overdue_at && state_.now.since_start < *each.overdue_at;
    const auto mark = makes_room_for(each, leaving);
    const bool comes_free = leaving && (!mark || mark->uid == waits.seen.uid);
    return stays(each) && !comes_free;
  });
}

// The plan refers to the pods.
policy::ResizePreemption Reactor::planned(const PodState& preemptor,
                                          const std::vector<policy::Pod>& pods,
                                          const policy::Budgets& budgets) const {
  policy::OverduePods lapsed;
  for (const auto& [uid, state] : state_.pods) {
    if (state.overdue_at && state_.now.since_start >= *state.overdue_at) lapsed.overdue.insert(uid);
    const bool slow =
        unsettled(state) &&
        (!state.allocated_at || state_.now.since_start - *state.allocated_at >= kShrinkMayTake);
    if (slow) lapsed.stuck_shrinks.insert(uid);
  }
  return policy::plan_resize_preemption({.node = *state_.node,
                                         .pods = pods,
                                         .nominated = {},
                                         .budgets = budgets,
                                         .lapsed = lapsed,
                                         .critical_by_node = true,
                                         .now = state_.now.wall},
                                        preemptor.seen.uid);
}

// The stopped pods precede it in retry order: the circuit breaker allows no removal for them, or it
// is not our turn (any more). Which victims another program will choose for them, if any, is
// unknown.
bool Reactor::begin_removal(const PodState& preemptor, std::vector<const PodState*>& stopped,
                            Checkpoint& proposed) {
  const std::vector<policy::Pod> pods = planning_views(stopped);
  const policy::Budgets walls = state_.budgets.walls(state_.now.wall);
  const policy::ResizePreemption plan = planned(preemptor, pods, walls);
  if (plan.outcome != policy::PreemptionOutcome::Preempt) {
    say_walled(preemptor, pods);
    return false;
  }
  if (!is_our_turn(preemptor)) {
    stopped.push_back(&preemptor);
    return false;
  }
  if (!state_.removal.allowed(preemptor.seen.uid, plan.victims.size(), state_.now.since_start)) {
    say_blocked(preemptor, plan.victims.size(), nullptr);
    stopped.push_back(&preemptor);
    return false;
  }
  const auto room_claim = std::ranges::find_if(stopped, [&](const PodState* each) {
    return would_take_room_of(plan.victims, *each, preemptor);
  });
  if (room_claim != stopped.end()) {
    say_blocked(preemptor, plan.victims.size(), *room_claim);
    return false;
  }
  if (!read_budgets_of(plan)) begin_with(plan, preemptor, proposed);
  return true;
}

// Returns true while the budgets over the plan's victims are being read. Upstream's kubelet knows
// of none.
bool Reactor::read_budgets_of(const policy::ResizePreemption& plan) {
  if (options_.kubelet) return false;
  std::set<std::string> unknown;
  for (const policy::ChosenVictim& each : plan.victims) {
    if (!state_.budgets.knows(each.pod->ns)) unknown.insert(each.pod->ns);
  }
  for (const std::string& ns : unknown) {
    const bool is_asked = std::ranges::any_of(state_.in_flight, [&](const auto& entry) {
      return entry.second.doing == Doing::ReadBudgets && entry.second.uid == ns;
    });
    if (!is_asked) emit(ReadBudgets{ns}, Doing::ReadBudgets, ns);
  }
  return !unknown.empty();
}

void Reactor::on(const BudgetsRead& read) {
  const auto at = state_.in_flight.find(read.effect);
  if (at == state_.in_flight.end()) return;
  const std::string ns = std::move(at->second.uid);
  state_.in_flight.erase(at);
  state_.budgets.put(ns, {.at = state_.now.since_start,
                          .server = read.server,
                          .trouble = {},
                          .budgets = read.budgets});
}

// True once for each resize that is stopped.
bool Reactor::is_news(const PodState& preemptor) {
  const std::string resize = preemptor.seen.uid + "/" + std::to_string(preemptor.seen.generation);
  if (!state_.blocked_said.insert(resize).second) return false;
  if (state_.blocked_said.size() > kMostSaid) {
    state_.blocked_said.erase(state_.blocked_said.begin());
  }
  return true;
}

// Nobody is removed, and hard budgets are the reason.
void Reactor::say_walled(const PodState& preemptor, const std::vector<policy::Pod>& pods) {
  if (!is_our_turn(preemptor) || state_.budgets.known().empty()) return;
  const policy::ResizePreemption without = planned(preemptor, pods, {});
  if (without.outcome != policy::PreemptionOutcome::Preempt) return;
  if (!is_news(preemptor)) return;
  ++state_.counts.removals_blocked;
  const std::string trouble = state_.budgets.trouble();
  const std::string begin =
      "The node would have to remove " + std::to_string(without.victims.size()) + " pods, and ";
  if (trouble.empty()) {
    return say(preemptor.seen, EventReason::EvictionBlocked,
               begin + "hard disruption budgets keep them");
  }
  // The trouble may name what the pod's owner may not read.
  const std::string unknown = begin + "it is not known what disruption budgets allow";
  say(preemptor.seen, EventReason::EvictionBlocked, {unknown + ": " + trouble, unknown});
}

// Its delete was accepted: the budgets over it learn of that, best effort.
void Reactor::debit(const std::string& uid) {
  const auto at = state_.to_debit.find(uid);
  const auto pod = state_.pods.find(uid);
  if (at == state_.to_debit.end()) return;
  const std::vector<BudgetRef> budgets = std::move(at->second);
  state_.to_debit.erase(at);
  if (pod == state_.pods.end()) return;
  const Victim victim{uid, pod->second.seen.ns, pod->second.seen.name};
  for (const BudgetRef& each : budgets) emit(EnterVictim{each, victim}, Doing::Debit, uid);
}

void Reactor::begin_with(const policy::ResizePreemption& plan, const PodState& preemptor,
                         Checkpoint& proposed) {
  RemovalIntent intent{.preemptor_uid = preemptor.seen.uid,
                       .generation = preemptor.seen.generation,
                       .victims = {},
                       .boot = options_.boot.id};
  if (const auto began = turn_began(preemptor); began && !intent.boot.empty()) {
    intent.deferred_at = options_.boot.at_start + *began;
  }
  std::vector<MarkVictim> marks;
  state_.to_debit.clear();
  for (const policy::ChosenVictim& each : plan.victims) {
    const Victim victim{each.pod->uid, each.pod->ns, each.pod->name};
    intent.victims.push_back(victim);
    state_.to_debit[victim.uid] = state_.budgets.over(*each.pod);
    marks.push_back({.victim = victim,
                     .condition = policy::marking_condition(
                         *each.pod, policy::kReasonTerminationByKubelet, kMarkMessage,
                         {intent.preemptor_uid, intent.generation}, state_.now.wall)});
  }
  // A removal that a restart interrupted, and that is the same again, is on disk already.
  const bool stands =
      std::ranges::find(state_.durable.removals, intent) != state_.durable.removals.end();
  if (!stands) proposed.removals.push_back(intent);
  state_.removal.begin(std::move(intent), std::move(marks), stands, state_.now.since_start);
  proposed.counted = counted_sets();
  state_.budgets.clear();  // the next removal is decided by what they allow then
  const bool is_durable = stands && proposed.counted == state_.durable.counted;
  if (is_durable) {
    state_.removal.intent_saved(true, state_.now.since_start);
  }
}

// Recorded once for each resize that is stopped: by the circuit breaker itself, or because the
// freed room would go to `room_claim`, which is stopped by it or is not ours.
void Reactor::say_blocked(const PodState& preemptor, std::size_t victims,
                          const PodState* room_claim) {
  if (!is_news(preemptor)) return;
  const bool by_breaker = room_claim == nullptr || is_our_turn(*room_claim);
  if (by_breaker) ++state_.counts.removals_blocked;
  if (room_claim != nullptr) {
    return say(preemptor.seen, EventReason::EvictionBlocked,
               policy::PodText("What ") + std::to_string(victims) +
                   " pods leave would be taken by pod " +
                   policy::name_for_reader(preemptor.seen.ns, room_claim->seen) +
                   ", which comes first and for which " +
                   (by_breaker ? "the node's circuit breaker lets nobody go"
                               : "it is not the node's turn to remove pods"));
  }
  say(preemptor.seen, EventReason::EvictionBlocked,
      "The node would have to remove " + std::to_string(victims) +
          " pods, more than its circuit breaker allows: " +
          std::to_string(CriticalRemoval::kMostSetsPerPod) + " sets for one pod and " +
          std::to_string(CriticalRemoval::kMostPodsPerNode) +
          " pods of the node in 10 minutes, and one set where what went before cannot be known");
}

void Reactor::take_removal_steps() {
  if (state_.removal.take_refusal()) {
    ++state_.counts.removals_refused;
    state_.removal_backoff.fail(state_.now.since_start, {}, state_.jitter);
  }
  for (const CriticalRemoval::Step& step : state_.removal.take_steps()) {
    if (const auto* mark = std::get_if<MarkVictim>(&step)) {
      emit(*mark, Doing::Remove, mark->victim.uid);
      continue;
    }
    const auto& removal = std::get<DeleteVictim>(step);
    state_.in_flight[emit(removal, Doing::Remove, removal.victim.uid)].removes = !removal.dry_run;
    const auto at = state_.pods.find(removal.victim.uid);
    if (removal.dry_run || at == state_.pods.end()) continue;
    ++state_.counts.removals;
    const auto preemptor = state_.pods.find(state_.removal.intent()->preemptor_uid);
    const policy::PodText whom =
        preemptor == state_.pods.end()
            ? policy::PodText("uid " + state_.removal.intent()->preemptor_uid)
            : policy::name_for_reader(at->second.seen.ns, preemptor->second.seen);
    const bool is_resize =
        preemptor == state_.pods.end() || !policy::has_not_begun(preemptor->second.seen);
    say(at->second.seen, EventReason::Preempting,
        policy::PodText(is_resize ? "Preempted in order to admit the resize of critical pod "
                                  : "Preempted in order to admit critical pod ") +
            whom);
  }
}

// A mark of ours has no meaning once its resize is no longer Deferred.
void Reactor::clear_stale_marks() {
  if (state_.removal.busy() || !can_judge()) return;
  for (auto& [uid, state] : state_.pods) {
    if (policy::is_terminating(state.seen) || state_.unmarking.contains(uid)) continue;
    const auto mark = policy::removal_mark(state.seen);
    const policy::Condition* target =
        policy::find_condition(state.seen.conditions, policy::kDisruptionTarget);
    if (!mark || target->reason != policy::kReasonTerminationByKubelet) continue;
    const auto preemptor = state_.pods.find(mark->uid);
    const bool stands = preemptor != state_.pods.end() &&
                        preemptor->second.seen.generation == mark->generation &&
                        phase(preemptor->second) == ResizePhase::Deferred;
    if (stands || !state.write_backoff.allows(state_.now.since_start)) continue;
    state_.unmarking.insert(uid);
    emit(
        MarkVictim{
            .victim = {uid, state.seen.ns, state.seen.name}, .condition = *target, .clear = true},
        Doing::Unmark, uid);
  }
}

}  // namespace elbowroom::agent
