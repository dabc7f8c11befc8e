// The part of the reactor that writes to pods and detects other writers.
#include <algorithm>
#include <utility>

#include "agent/companion_pod.h"
#include "agent/reactor.h"
#include "agent/write/policy_write.h"
#include "agent/write/status_plan.h"
#include "policy/model/charge.h"
#include "policy/resize/resize_conditions.h"

namespace elbowroom::agent {
namespace {

// Transition times and versions differ from one plan to the next and are irrelevant here.
bool same_but_times(WriteStatus a, WriteStatus b) {
  for (WriteStatus* each : {&a, &b}) {
    each->read_at.clear();
    each->started.reset();
    for (policy::Condition& condition : each->set) condition.last_transition.reset();
  }
  return a == b;
}

std::string in_words(const WriteStatus& write) {
  if (!write.set.empty()) return "its condition " + write.set.front().type;
  if (!write.remove.empty()) return "its condition " + write.remove.front();
  return "the figures in its status";
}

}  // namespace

// Companion: beside a kubelet, which owns all conditions but one.
void Reactor::accompany() {
  state_.counts.pending.clear();
  for (auto& [uid, state] : state_.pods) {
    const policy::Pod& pod = state.seen;
    const bool lives = !policy::is_finished(pod) && !policy::is_terminating(pod);
    const bool waits = lives && policy::is_deferred(pod);
    if (!waits) state.deferred_since.reset();
    if (waits && !state.deferred_since) state.deferred_since = state_.now.since_start;
    if (waits) ++state_.counts.pending["Deferred"];
    if (lives && policy::is_infeasible(pod)) ++state_.counts.pending["Infeasible"];
  }
  if (options_.dry_run) return accompany_for_show();
  if (companion_pod() != nullptr) return;
  for (auto& [uid, state] : state_.pods) {
    if (may_write(state)) {
      hand_in(state, plan_policy_write(state.seen, *state_.node, state_.now.wall));
    }
  }
  annotate_node();
}

// The would-be write is reported once, until it changes.
void Reactor::accompany_for_show() {
  if (!state_.node || !state_.pods_listed) return;
  for (auto& [uid, state] : state_.pods) {
    const auto write = plan_policy_write(state.seen, *state_.node, state_.now.wall);
    std::string would;
    if (write && !write->set.empty()) would = "would set " + write->set.front().type;
    if (write && write->set.empty()) would = "would remove " + write->remove.front();
    const std::string generation = "/" + std::to_string(state.seen.generation);
    const std::string once = would.empty() ? "" : would + generation;
    if (std::exchange(state.announced, once) != once && !would.empty()) {
      say_what_would_be(state.seen, std::move(would));
    }
  }
}

bool Reactor::may_write(const PodState& state) const {
  return !is_contended() && state.writing == 0 && state_.node && state_.pods_listed &&
         state_.api_trouble.empty() && state.write_backoff.allows(state_.now.since_start) &&
         !is_full(Doing::Write);
}

void Reactor::plan_write(PodState& state) {
  if (!may_write(state) || policy::is_finished(state.seen)) return;
  if (policy::has_not_begun(state.seen)) return plan_admission(state);
  const auto at = state_.durable.pods.find(state.seen.uid);
  // Nothing is written about a pod before its allocation is known, and its spec has been judged.
  if (at == state_.durable.pods.end() || !state_.runtime_trouble.empty()) return;
  const ResizePhase is = phase(state);
  if (is == ResizePhase::Undecided || is == ResizePhase::Saving) return;
  // Once a scheduler may see it, only an intent on the disk tells that it is our turn.
  if (is == ResizePhase::Deferred && is_our_turn(state) && is_doing(Doing::ReadBudgets)) return;
  policy::ResizeConditions wanted =
      policy::conditions_after_verdict(state.seen, *state_.node, state.decision, state_.now.wall);
  wanted.in_progress = in_progress_of(state);
  if (options_.kubelet) {
    const policy::Condition* stands =
        policy::find_condition(state.seen.conditions, policy::kPodResizePreemptionDisabled);
    wanted.preemption_disabled = stands == nullptr ? std::nullopt : std::optional(*stands);
  }
  hand_in(state, plan_status(state.seen, state.view, wanted, &at->second, state.restarting));
}

void Reactor::hand_in(PodState& state, std::optional<WriteStatus> write) {
  if (!write) {
    state.write_error.clear();  // the write took effect after all, or is no longer needed
    return;
  }
  if (was_undone(state.own_writes, state.seen, *write, state_.now.since_start)) {
    state.shown_by = {};
    note_undone(state, in_words(*write));
    if (is_contended()) return;
  }
  if (!state.put_back.allows(state_.now.since_start)) return;
  // The watch has not shown the last write yet: it is not repeated.
  const bool has_time = state_.now.since_start < state.shown_by;
  if (same_but_times(*write, state.last_write) && has_time) return;
  state.last_write = *write;
  wrote(state.own_writes, *write);
  state.writing = emit(*std::move(write), Doing::Write, state.seen.uid);
}

// An undone field is restored, but never in a race: the delay grows while the undoing continues.
void Reactor::note_undone(PodState& state, const std::string& what) {
  ++state_.counts.undone;
  undone_.push_back({policy::key_of(state.seen), state.seen.uid, what});
  const auto now = state_.now.since_start;
  const bool long_ago = now - state.put_back.not_before > Contention::kWindow;
  if (long_ago || options_.kubelet) state.put_back.succeed();
  state.put_back.fail(now, {}, state_.jitter);
  // All undoings that one list or one poll shows count as one, however many pods they concern.
  if (!options_.authority || options_.kubelet) return;
  const bool again = std::exchange(undone_now_, true);
  const bool too_many = one_too_many(state_.contention, state.seen.uid, again, now);
  const policy::PodText where =
      policy::PodText(what) + " of pod " + policy::name_for_reader("", state.seen);
  if (std::exchange(state.own_writes.by_kubelet, false)) {
    yield_to(policy::PodText("a kubelet undid what this agent wrote, ") + where);
  } else if (too_many) {
    yield_to(policy::PodText("another writer undid ") + std::to_string(Contention::kMost) +
             " times in 5 minutes what this agent wrote, at last " + where);
  }
}

void Reactor::yield_to(const policy::PodText& whom) {
  yield(state_.contention, state_.now.since_start);
  const policy::PodText why =
      whom + ": nothing is written or actuated until no other writer was seen for " +
      std::to_string(quiet_time(state_.contention).count()) +
      " minutes; where a kubelet runs, set mode: companion, else end the other writer";
  state_.contention.why = why.full();
  // Drops effects that were decided in this turn and have not begun. Only saves stay: they lose
  // nothing.
  std::erase_if(outbox_, [&](const Effect& effect) {
    const auto at = state_.in_flight.find(effect.id);
    if (at == state_.in_flight.end() || at->second.doing == Doing::Save) return false;
    if (const auto of = state_.pods.find(at->second.uid); of != state_.pods.end()) {
      if (of->second.writing == effect.id) of->second.writing = 0;
      if (of->second.acting == effect.id) of->second.acting = 0;
    }
    state_.in_flight.erase(at);
    return true;
  });
  ++state_.counts.outcomes["contended"];
  // It concerns the node, whichever pod it was seen on.
  say_of_node(EventReason::ResizeContended, why);
}

// The agent that works in a pod of this node, for which this one steps back; nullptr: none.
const policy::Pod* Reactor::companion_pod() const {
  if (options_.in_pod || options_.dry_run || options_.kubelet) return nullptr;
  const auto at = std::ranges::find_if(
      state_.pods, [](const auto& each) { return is_working_companion(each.second.seen); });
  return at == state_.pods.end() ? nullptr : &at->second.seen;
}

// Where a DaemonSet's pod is Ready a kubelet is, too.
void Reactor::yield_to_companion() {
  const policy::Pod* other = options_.authority ? companion_pod() : nullptr;
  if (other == nullptr) return;
  if (is_contended()) return disturb(state_.contention, state_.now.since_start);
  yield_to("an agent in mode companion is Ready in pod " + policy::key_of(*other));
}

// Why nothing is written; "": something is.
std::string Reactor::contention() const {
  const policy::Pod* other = options_.authority ? nullptr : companion_pod();
  if (other == nullptr) return state_.contention.why;
  return "the agent in pod " + policy::key_of(*other) +
         " is Ready on this node, so this one writes nothing; keep one of them: remove the package "
         "elbowroom-agent, or keep the pod away: kubectl label node " +
         options_.node_name + " elbowroom.dev/agent=package";
}

// Without a namespace the event is about the Node.
void Reactor::say_of_node(EventReason reason, const policy::PodText& note) {
  policy::Pod node_as_pod;
  node_as_pod.name = options_.node_name;
  if (state_.node) node_as_pod.uid = state_.node->uid;
  say(node_as_pod, reason, note);
}

// The other writer may have allocated meanwhile. So API and runtime are asked about the durable
// allocations as after a restart, and a begun removal is not continued.
void Reactor::go_on_if_quiet() {
  const bool follows = state_.api_trouble.empty() && state_.runtime_trouble.empty();
  if (!is_contended() || !follows || state_.now.since_start < state_.contention.ends_at) return;
  const auto quiet = quiet_time(state_.contention);
  go_on(state_.contention, state_.now.since_start);
  state_.removal.abandon();
  for (auto& [uid, state] : state_.pods) {
    state.own_writes.awaited.clear();
    state.own_writes.standing.clear();
    state.own_sizes.given.clear();
    state.put_back.succeed();
    state.last_write = {};
    if (state_.durable.pods.contains(uid)) state_.unproven.insert(uid);
  }
  say_of_node(EventReason::ResizeResumed, "No other writer was seen for " +
                                              std::to_string(quiet.count()) +
                                              " minutes: the agent writes and resizes again");
}

}  // namespace elbowroom::agent
