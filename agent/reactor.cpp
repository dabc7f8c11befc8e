#include "agent/reactor.h"

#include <algorithm>
#include <utility>

#include "agent/checkpoint/later_allocation.h"
#include "agent/judge.h"
#include "agent/kubelet_outcomes.h"
#include "agent/next_step.h"
#include "agent/object_version.h"
#include "agent/pod_view.h"
#include "agent/write/resize_event_text.h"
#include "agent/write/status_plan.h"
#include "policy/model/capped_pod.h"
#include "policy/model/rejected_pods.h"
#include "policy/model/removal_mark.h"
#include "policy/resize/resize_conditions.h"

namespace elbowroom::agent {
namespace {

using std::chrono::milliseconds;

constexpr std::chrono::seconds kOverdueAfterDeadline{30};

// The maximum number of effects in flight, of one kind per pod; the executor's mailboxes hold as
// many.
constexpr std::size_t kMostInFlight = 64;

// The maximum time until the watch shows a successful write.
constexpr std::chrono::seconds kWatchShowsWithin{5};

// True if the failed request cannot take effect later, unlike after a timeout.
bool is_certain(const Error& error) {
  return error.code != Code::Unavailable && error.code != Code::Internal;
}

// Returns a grace period that cannot overflow a clock: at most about 136 years.
std::chrono::seconds bounded_grace(std::int64_t seconds) {
  return std::chrono::seconds(std::clamp<std::int64_t>(seconds, 0, std::int64_t{1} << 32U));
}

// As a pod that has begun with nothing: its request counts as growth.
void hold_nothing(policy::Pod& view) {
  for (policy::Container& each : view.containers) {
    each.allocated_requests = each.actual_requests = policy::Resources{};
    each.allocated_limits = each.actual_limits = policy::Resources{};
  }
  policy::PodLevel& level = view.pod_level;
  if (policy::is_zero(level.desired.requests) && policy::is_zero(level.desired.limits)) return;
  level.allocated_requests = level.actual_requests = policy::Resources{};
  level.allocated_limits = level.actual_limits = policy::Resources{};
}

// Returns an unreadable pod, by NAMESPACE/NAME; "": none.
std::string first_unreadable(const ReactorState& state) {
  return state.unreadable.empty() ? "" : state.unreadable.begin()->first;
}

// Returns the container that a step changes; "" for the pod's own cgroup.
std::string acted_on(const Actuate& effect) {
  return std::visit(
      [](const auto& step) -> std::string {
        if constexpr (std::is_same_v<std::decay_t<decltype(step)>, policy::SetPod>) {
          return "";
        } else {
          return step.name;
        }
      },
      effect.step);
}

}  // namespace

Reactor::Reactor(ReactorOptions options, Checkpoint restored, bool rebuilt)
    : options_(std::move(options)) {
  state_.jitter.state = options_.jitter_seed;
  state_.durable = std::move(restored);
  state_.critical_preemption = options_.critical_preemption;
  remember_counted();
  if (rebuilt) state_.removal.count_as_used(state_.now.since_start);
  for (const auto& [uid, pod] : state_.durable.pods) {
    (rebuilt ? state_.unsure : state_.unproven).insert(uid);
  }
}

Reactor::Reactor(ReactorOptions options, ReactorState state)
    : options_(std::move(options)), state_(std::move(state)) {}

Effects Reactor::handle(const Observation& seen) {
  // Our clock never runs backwards, whatever is observed.
  const Moment before = state_.now;
  state_.now.since_start = std::max(before.since_start, seen.at.since_start);
  state_.now.wall = seen.at.wall;
  undone_now_ = false;
  if (!std::exchange(undecided_, seen.more)) {
    took_.clear();
    undone_.clear();
    overruled_.clear();
  }
  std::visit([this](const auto& what) { on(what); }, seen.what);
  if (!seen.more) evaluate();
  return std::exchange(outbox_, {});
}

// ---- observations ----

void Reactor::on(const NodeSeen& seen) {
  const bool shown = !state_.node || state_.node->critical_preemption_by_node !=
                                         seen.node.critical_preemption_by_node;
  state_.node = seen.node;
  if (shown && state_.annotate_backoff.failures == 0) state_.annotate_backoff.succeed();
}
void Reactor::on(const NodeGone& seen) {
  state_.node.reset();
  state_.node_trouble = seen.why;
}
void Reactor::on(const PodSeen& seen) {
  // A watch sends one object's versions in order, but may repeat some after a reconnect. A list
  // always counts: a server restored from a backup starts at an older version.
  const auto known = state_.pods.find(seen.pod.uid);
  const bool late = known != state_.pods.end() &&
                    is_older(seen.pod.resource_version, known->second.seen.resource_version);
  if (!late) take_in(seen.pod, seen.kubelet_wrote);
}
void Reactor::on(const PodGone& seen) { state_.pods.erase(seen.uid); }

void Reactor::on(const PodsListed& seen) {
  std::set<std::string, std::less<>> listed;
  std::set<std::string_view> unreadable;
  for (const policy::Pod& pod : seen.pods) listed.insert(pod.uid);
  for (const PodUnreadable& each : seen.unreadable) unreadable.insert(each.key);
  // A pod that cannot be read this time still exists, with what is known of it.
  for (const auto& [uid, state] : state_.pods) {
    if (unreadable.contains(policy::key_of(state.seen))) listed.insert(uid);
  }
  std::erase_if(state_.pods, [&](const auto& entry) { return !listed.contains(entry.first); });
  for (const policy::Pod& pod : seen.pods) take_in(pod, kKubeletUnknown);
  state_.unreadable.clear();
  for (const PodUnreadable& each : seen.unreadable) on(each);
  state_.pods_listed = true;
}

void Reactor::on(const PodUnreadable& seen) {
  ++state_.counts.unreadable_pods;
  state_.unreadable[seen.key] = seen.why;
}

void Reactor::on(const PodReadableAgain& seen) { state_.unreadable.erase(seen.key); }
void Reactor::on(const PolicyFieldProbed& seen) {
  if (!options_.critical_preemption) state_.critical_preemption = !seen.kept;
}

void Reactor::on(const ApiLost& seen) { state_.api_trouble = seen.why; }
void Reactor::on(const ApiBack& /*seen*/) { state_.api_trouble.clear(); }

void Reactor::on(const RuntimeSeen& seen) {
  state_.runtime_trouble.clear();
  for (auto& [uid, state] : state_.pods) {
    const auto before = state_.reports.find(uid);
    const auto after = seen.pods.find(uid);
    const bool same = before == state_.reports.end()
                          ? after == seen.pods.end()
                          : after != seen.pods.end() && before->second == after->second;
    if (same) continue;
    const bool both = before != state_.reports.end() && after != seen.pods.end();
    if (is_contended() && both && others_resized(before->second, after->second)) {
      disturb(state_.contention, state_.now.since_start);
    }
    if (after == seen.pods.end()) {
      state_.reports.erase(uid);
    } else {
      state_.reports[uid] = after->second;
    }
    refresh_view(state);
  }
  state_.reports = seen.pods;
  for (auto& [uid, state] : state_.pods) {
    const auto report = state_.reports.find(uid);
    shown(state.own_sizes, report == state_.reports.end() ? PodReport{} : report->second);
  }
}

void Reactor::on(const RuntimeLost& seen) { state_.runtime_trouble = seen.why; }
void Reactor::on(const KubeletSeen& seen) {
  if (!options_.authority || options_.dry_run || options_.kubelet) return;
  if (is_contended()) return disturb(state_.contention, state_.now.since_start);
  yield_to(seen.silent ? "somebody is at " + seen.where +
                             " by now and says nothing, like a kubelet that hangs"
                       : "a kubelet answers at " + seen.where + " by now");
}

void Reactor::on(const TimePassed& /*seen*/) {}

void Reactor::on(const Done& done) {
  const auto at = state_.in_flight.find(done.effect);
  if (at == state_.in_flight.end()) return;
  const InFlight flown = std::move(at->second);
  state_.in_flight.erase(at);

  const auto pod = state_.pods.find(flown.uid);
  switch (flown.doing) {
    case Doing::Save:
      return saved();
    case Doing::Act:
      if (pod != state_.pods.end()) acted(pod->second, flown.acted_on, done.size);
      return;
    case Doing::Write:
      if (pod == state_.pods.end()) return;
      pod->second.writing = 0;
      pod->second.write_error.clear();
      pod->second.write_backoff.succeed();
      pod->second.shown_by = state_.now.since_start + kWatchShowsWithin;
      return;
    case Doing::Remove:
      if (flown.removes) {
        asked_to_go(flown.uid);
        debit(flown.uid);
      }
      return state_.removal.finished(true);
    case Doing::Unmark:
      return;  // until the watch shows the pod without the mark
    case Doing::Annotate:
      state_.annotating = 0;
      state_.annotate_backoff.succeed();
      state_.annotate_backoff.not_before = state_.now.since_start + kWatchShowsWithin;
      return;
    case Doing::ReadBudgets:
    case Doing::Debit:
      return;
  }
}

void Reactor::on(const Failed& failed) {
  const auto at = state_.in_flight.find(failed.effect);
  if (at == state_.in_flight.end()) return;
  const InFlight flown = std::move(at->second);
  state_.in_flight.erase(at);

  const auto pod = state_.pods.find(flown.uid);
  switch (flown.doing) {
    case Doing::Save:
      return save_failed(failed.error);
    case Doing::Act:
      if (pod == state_.pods.end()) return;
      refused(pod->second.own_sizes, flown.acted_on, is_certain(failed.error),
              state_.now.since_start);
      return act_failed(pod->second, failed.error);
    case Doing::Write:
      if (pod == state_.pods.end()) return;
      pod->second.writing = 0;
      refused(pod->second.own_writes, is_certain(failed.error), state_.now.since_start);
      if (failed.error.code == Code::NotFound) {  // gone; the watch has not shown it yet
        pod->second.shown_by = state_.now.since_start + kWatchShowsWithin;
        return;
      }
      // After a single conflict, only the pod's next version is awaited.
      if (failed.error.code != Code::Conflict || pod->second.write_backoff.failures > 0) {
        pod->second.write_error = failed.error.message;
      }
      pod->second.write_backoff.fail(state_.now.since_start, failed.error.retry_after,
                                     state_.jitter);
      return;
    case Doing::Remove:
      if (flown.removes) state_.to_debit.erase(flown.uid);
      // A pod that is already gone is the desired result.
      return state_.removal.finished(failed.error.code == Code::NotFound);
    case Doing::Unmark:
      state_.unmarking.erase(flown.uid);
      if (pod != state_.pods.end()) {
        pod->second.write_backoff.fail(state_.now.since_start, failed.error.retry_after,
                                       state_.jitter);
      }
      return;
    case Doing::Annotate:
      state_.annotating = 0;
      state_.annotate_backoff.fail(state_.now.since_start, failed.error.retry_after, state_.jitter);
      return;
    case Doing::ReadBudgets: {
      SeenBudgets::OfNamespace seen{.at = state_.now.since_start};
      // Without the kind there are no budgets.
      if (failed.error.code != Code::NotFound) seen.trouble = failed.error.message;
      return state_.budgets.put(flown.uid, std::move(seen));
    }
    case Doing::Debit:
      return;  // best effort: the keeper of the budget's status enters a marked pod
  }
}

void Reactor::take_in(const policy::Pod& pod, std::optional<policy::Time> kubelet_wrote) {
  if (pod.node != options_.node_name) return;
  state_.unreadable.erase(policy::key_of(pod));
  state_.unmarking.erase(pod.uid);
  auto [at, added] = state_.pods.try_emplace(pod.uid);
  PodState& state = at->second;
  const bool respecified = !added && state.seen.generation != pod.generation;
  if (added || respecified) {
    state.arrival = ++state_.last_arrival;
    state.pending_since = state_.now.since_start;
  }
  if (respecified) state.act_backoff.succeed();
  if (pod.deletion && !state.overdue_at) {
    state.overdue_at =
        state_.now.since_start + bounded_grace(pod.deletion_grace_seconds) + kOverdueAfterDeadline;
  }
  if (!added && !options_.authority) {
    for (const std::string_view each : kubelet_outcomes(state.seen, pod)) {
      ++state_.counts.outcomes[std::string(each)];
    }
  }
  if (is_contended() && !added && others_wrote(state.seen, pod)) {
    disturb(state_.contention, state_.now.since_start);
  }
  state.seen = pod;
  shown(state.own_writes, pod, kubelet_wrote);
  if (policy::preemption_disabled_by_others(pod)) {
    forget(state.own_writes, policy::kPodResizePreemptionDisabled);
  }
  refresh_view(state);
  if (respecified && !options_.authority) count_requests(state.view, state_.counts.requests);
}

// The response to a delete and the watch are two connections. Until the watch shows the pod
// terminating (or gone) it counts as terminating; otherwise it would be chosen again.
void Reactor::asked_to_go(const std::string& uid) {
  const auto at = state_.pods.find(uid);
  if (at == state_.pods.end()) return;
  PodState& state = at->second;
  const std::chrono::seconds grace = bounded_grace(state.seen.termination_grace_seconds);
  state.asked_to_go = state_.now.wall + grace;
  if (!state.overdue_at) state.overdue_at = state_.now.since_start + grace + kOverdueAfterDeadline;
  refresh_view(state);
}

void Reactor::refresh_view(PodState& state) {
  const auto allocation = state_.durable.pods.find(state.seen.uid);
  const auto report = state_.reports.find(state.seen.uid);
  state.view =
      view_of(state.seen, allocation == state_.durable.pods.end() ? nullptr : &allocation->second,
              report == state_.reports.end() ? nullptr : &report->second, state_.weight_map);
  if (state.asks_admission) hold_nothing(state.view);
  if (!state.view.deletion) state.view.deletion = state.asked_to_go;
}

// ---- outcomes of effects ----

void Reactor::saved() {
  ++state_.counts.saves;
  const Checkpoint before =
      std::exchange(state_.durable, *std::exchange(state_.saving, std::nullopt));
  state_.disk_trouble.clear();
  state_.unsure.clear();
  note_overruled(before);
  state_.save_backoff.succeed();
  state_.removal.intent_saved(true, state_.now.since_start);
  for (const std::string& uid : std::exchange(state_.allocating, {})) {
    const auto at = state_.pods.find(uid);
    if (at == state_.pods.end()) continue;
    PodState& state = at->second;
    state.deferred_since.reset();
    if (policy::has_not_begun(state.seen)) continue;  // it is admitted
    state.resizing = true;
    state.allocated_at = state_.now.since_start;
    state.acted_at.reset();
    took("durable", state_.proposed_at);
    state.act_error.clear();
    state.act_backoff.succeed();
    state.announced.clear();
    if (is_contended()) continue;  // not performed
    const std::int64_t generation = state_.durable.pods[uid].generation;
    say(state.seen, EventReason::ResizeStarted,
        resize_event_text("Pod resize started", state.seen, generation, ""));
  }
  for (auto& [uid, state] : state_.pods) {
    const auto was = before.pods.find(uid);
    const auto is = state_.durable.pods.find(uid);
    const bool same = was != before.pods.end() && is != state_.durable.pods.end() && *was == *is;
    if (!same) refresh_view(state);
  }
}

void Reactor::save_failed(const Error& error) {
  ++state_.counts.save_failures;
  if (state_.removal.is_saving()) ++state_.counts.removals_unsaved;
  state_.saving.reset();
  // What could not be made durable counts as not decided.
  for (const std::string& uid : std::exchange(state_.allocating, {})) {
    if (const auto at = state_.pods.find(uid); at != state_.pods.end())
      at->second.decided_generation = -1;
  }
  state_.removal.intent_saved(false, state_.now.since_start);
  state_.disk_trouble = error.message;
  state_.save_backoff.fail(state_.now.since_start, error.retry_after, state_.jitter);
}

void Reactor::acted(PodState& state, const std::string& container,
                    const std::optional<cri::RuntimeResources>& size) {
  state.acting = 0;
  const bool was_different = apply_size(state, container, size);
  if (!was_different && unsettled(state)) {
    refused(state.own_sizes, container, false, state_.now.since_start);
    act_failed(state, {Code::Internal,
                       "the runtime accepted the change, but what it reports did not change",
                       {}});
    return;
  }
  state.act_error.clear();
  state.act_backoff.succeed();
  state.acted_at = state_.now.since_start;
  const auto report = state_.reports.find(state.seen.uid);
  if (size && report != state_.reports.end()) {
    sized(state.own_sizes, container, report->second, *size);
  }
}

// Returns true if the size has changed (or none was read back).
bool Reactor::apply_size(PodState& state, const std::string& container,
                         const std::optional<cri::RuntimeResources>& size) {
  const auto reported = state_.reports.find(state.seen.uid);
  if (reported == state_.reports.end()) return true;
  PodReport& known = reported->second;
  if (!size) {
    // A restart: the container was stopped, and is not stopped again before the runtime shows it
    // again.
    if (const auto at = known.containers.find(container); at != known.containers.end()) {
      at->second.state = policy::RunState::Terminated;
      at->second.size.reset();
    }
    refresh_view(state);
    return true;
  }
  bool news = false;
  const auto apply = [&](std::optional<cri::RuntimeResources>& of) {
    news = news || of != size;
    of = size;
  };
  if (container.empty()) {
    apply(known.pod_cgroup);
  } else if (const auto at = known.containers.find(container); at != known.containers.end()) {
    apply(at->second.size);
  }
  refresh_view(state);
  return news;
}

void Reactor::act_failed(PodState& state, const Error& error) {
  state.acting = 0;
  state.act_backoff.fail(state_.now.since_start, error.retry_after, state_.jitter);
  if (state.act_error == error.message) return;
  state.act_error = error.message;
  ++state_.counts.outcomes["error"];
  const auto allocation = state_.durable.pods.find(state.seen.uid);
  const std::int64_t generation = allocation == state_.durable.pods.end()
                                      ? state.seen.generation
                                      : allocation->second.generation;
  say(state.seen, EventReason::ResizeError,
      resize_event_text("Pod resize error", state.seen, generation, error.message));
}

// ---- decisions ----

bool Reactor::can_judge() const {
  const bool api = state_.api_trouble.empty();
  const bool runtime = state_.runtime_trouble.empty();
  return state_.node && state_.pods_listed && api && runtime && !state_.saving &&
         state_.save_backoff.allows(state_.now.since_start);
}

void Reactor::evaluate() {
  yield_to_companion();
  go_on_if_quiet();
  if (!options_.authority) {
    accompany();
  } else if (options_.dry_run || is_contended()) {
    judge_for_show();
  } else {
    govern();
  }
  find_next_wake();
}

// To explain and to measure, without effects.
void Reactor::judge_for_show() {
  if (!state_.node || !state_.pods_listed) return;
  Checkpoint ignored = state_.durable;
  adopt_pods(ignored);
  judge(ignored);
  state_.allocating.clear();
}

// A delete succeeded, but long after its deadline the API still shows the pod as not terminating:
// then the pod stays, and is judged again.
void Reactor::believe_who_stays() {
  for (auto& [uid, state] : state_.pods) {
    const bool stays = state.asked_to_go && !policy::is_terminating(state.seen) &&
                       state.overdue_at && state_.now.since_start >= *state.overdue_at;
    if (!stays) continue;
    state.asked_to_go.reset();
    state.overdue_at.reset();
    refresh_view(state);
  }
}

// One group by the newer map is enough: the program that writes it was upgraded, and the newer map
// gives no size a smaller weight than the older one.
void Reactor::learn_weight_map() {
  std::optional<cri::WeightMap> shown;
  for (const auto& [uid, report] : state_.reports) {
    const auto pod = state_.pods.find(uid);
    const auto allocation = state_.durable.pods.find(uid);
    if (pod == state_.pods.end() || allocation == state_.durable.pods.end()) continue;
    const auto map = shown_weight_map(pod->second.seen, allocation->second, report);
    if (map) shown = std::max(shown, map);
  }
  if (!shown || std::exchange(state_.weight_map, shown) == shown) return;
  for (auto& [uid, state] : state_.pods) refresh_view(state);
}

void Reactor::govern() {
  believe_who_stays();
  if (options_.manage_pod_cgroups) learn_weight_map();
  note_admissions();
  if (can_judge()) {
    Checkpoint proposed = state_.durable;
    adopt_pods(proposed);
    // A newly adopted pod is judged once its allocation is durable.
    believe_checkpoint();
    if (proposed == state_.durable) {
      state_.unsure.clear();
      judge(proposed);
      // Victims are chosen by durable allocations, not by proposed ones.
      if (state_.allocating.empty()) plan_removal(proposed);
    }
    // A failed disk is retried even if there is nothing more to save: only a successful save ends
    // its trouble.
    if (proposed != state_.durable || !state_.disk_trouble.empty()) propose(std::move(proposed));
  }
  for (auto& [uid, state] : state_.pods) {
    plan_actuation(state);
    plan_write(state);
  }
  if (is_contended()) return;  // by what this observation showed
  take_removal_steps();
  clear_stale_marks();
  if (!options_.kubelet) annotate_node();
}

void Reactor::adopt_pods(Checkpoint& proposed) const {
  // From an older copy, only what the API does not know better is used.
  for (const auto& [uid, state] : state_.pods) {
    if (policy::is_capped(state.seen)) {
      proposed.pods.erase(uid);
      continue;
    }
    const bool unsure = state_.unsure.contains(uid);
    if (policy::is_finished(state.seen) || policy::has_not_begun(state.seen)) continue;
    if (auto later = shown_later(state, proposed)) proposed.pods[uid] = *std::move(later);
    if (proposed.pods.contains(uid) && !unsure) continue;
    if (auto allocation = adopt(state.seen)) proposed.pods[uid] = *std::move(allocation);
  }
}

// The allocation to use instead of the promised one, or none.
std::optional<PodAllocation> Reactor::shown_later(const PodState& state,
                                                  const Checkpoint& proposed) const {
  const std::string& uid = state.seen.uid;
  const auto promised = proposed.pods.find(uid);
  const bool asks = state_.unproven.contains(uid) && promised != proposed.pods.end() && state_.node;
  if (!asks) return std::nullopt;
  const auto report_of = [&](const std::string& of) {
    const auto at = state_.reports.find(of);
    return at == state_.reports.end() ? nullptr : &at->second;
  };
  auto later = later_allocation(state.seen, promised->second, report_of(uid));
  if (!later) return std::nullopt;
  RoomBeside room{.allocatable = state_.node->allocatable};
  policy::ChargeSum others;
  others.leave_out(policy::shareable_claims(state.seen));
  for (const auto& [other, each] : state_.pods) {
    const auto has = proposed.pods.find(other);
    const policy::Pod view =
        view_of(each.seen, has == proposed.pods.end() ? nullptr : &has->second, report_of(other));
    if (!policy::holds_room(view)) continue;
    if (other == uid) {
      policy::add_to(room.held, policy::held_charge(view));
    } else {
      others.add(view, policy::held_charge(view));
    }
  }
  room.others = others.total();
  return within_room(*std::move(later), promised->second, room);
}

// True if API and runtime can be asked about the pod now.
bool Reactor::is_provable(const PodState& state) const {
  const auto report = state_.reports.find(state.seen.uid);
  return report == state_.reports.end() || !is_unread(report->second);
}

// Accepts the checkpoint's entries for which nothing later is shown, even if the disk fails.
void Reactor::believe_checkpoint() {
  std::erase_if(state_.unproven, [&](const std::string& uid) {
    const auto at = state_.pods.find(uid);
    return at != state_.pods.end() && is_provable(at->second) &&
           !shown_later(at->second, state_.durable);
  });
}

// Allocations were saved that replace those of an old checkpoint; its count of removals is as old.
void Reactor::note_overruled(const Checkpoint& before) {
  for (const auto& [uid, is] : state_.durable.pods) {
    const auto was = before.pods.find(uid);
    const bool later = state_.unproven.contains(uid) && was != before.pods.end() &&
                       was->second != is && !state_.allocating.contains(uid);
    if (!later) continue;
    state_.unproven.erase(uid);
    ++state_.counts.overruled;
    overruled_.push_back({is.ns + "/" + is.name, uid, was->second.generation, is.generation});
    state_.removal.count_as_used(state_.now.since_start);
  }
}

void Reactor::judge(Checkpoint& proposed) {
  std::vector<Judged> judged;
  judged.reserve(state_.pods.size());
  for (const auto& [uid, state] : state_.pods) {
    const bool leaving = state.overdue_at && state_.now.since_start < *state.overdue_at;
    const bool is_known = proposed.pods.contains(uid) || state.asks_admission;
    const bool judgeable =
        is_known && !policy::is_terminating(state.view) && !policy::is_finished(state.seen);
    judged.push_back({.pod = &state.view,
                      .arrival = state.arrival,
                      .judgeable = judgeable,
                      .is_new = state.asks_admission,
                      .makes_room_for = makes_room_for(state, leaving),
                      .room_is_made = room_is_made_for(state)});
  }
  for (auto& [uid, decision] :
       judge_pass(*state_.node, judged, options_.managers, first_unreadable(state_))) {
    ++state_.counts.judged;
    PodState& state = state_.pods.find(uid)->second;
    if (decision.verdict == policy::Verdict::Allocated) {
      proposed.pods[uid] = desired_allocation(state.seen);
      state_.allocating.insert(uid);
    }
    note_decision(state, decision);
  }
  for (auto& [uid, state] : state_.pods) {
    if (policy::is_capped(state.seen)) refuse_folded(state);
  }
  state_.counts.pending.clear();
  for (const auto& [uid, state] : state_.pods) {
    if (state.asks_admission) continue;
    if (state.decision.verdict == policy::Verdict::Deferred) ++state_.counts.pending["Deferred"];
    if (state.decision.verdict == policy::Verdict::Infeasible)
      ++state_.counts.pending["Infeasible"];
  }
}

// Its containers are not stored individually, so none is resized. The pod counts with its present
// size.
void Reactor::refuse_folded(PodState& state) {
  const bool is_asked = policy::resize_is_pending(state.view) &&
                        !policy::is_terminating(state.view) && !policy::is_finished(state.seen);
  policy::ResizeDecision decision;
  if (is_asked) {
    decision = {policy::Verdict::Infeasible,
                std::string(policy::kReasonInfeasible),
                "",
                "Elbowroom resizes pods of at most " + std::to_string(policy::kMostContainers) +
                    " containers",
                {}};
  }
  note_decision(state, decision);
}

// From the moment it is chosen, even before the watch shows its mark.
std::optional<policy::RemovalMark> Reactor::makes_room_for(const PodState& state,
                                                           bool leaving) const {
  const auto names_it = [&](const RemovalIntent& intent) {
    return std::ranges::find(intent.victims, state.seen.uid, &Victim::uid) != intent.victims.end();
  };
  const std::optional<RemovalIntent>& intent = state_.removal.intent();
  if (intent && names_it(*intent)) {
    return policy::RemovalMark{intent->preemptor_uid, intent->generation};
  }
  if (!leaving) return std::nullopt;
  if (auto mark = policy::removal_mark(state.view)) return mark;
  const auto& removals = state_.durable.removals;
  const auto at = std::find_if(removals.rbegin(), removals.rend(), names_it);
  if (!state.asked_to_go || at == removals.rend()) return std::nullopt;
  return policy::RemovalMark{at->preemptor_uid, at->generation};
}

// While its intent is durable: if it waits for others after its victims are gone, no less important
// pod takes their room.
bool Reactor::room_is_made_for(const PodState& state) const {
  return std::ranges::any_of(state_.durable.removals, [&](const RemovalIntent& intent) {
    return intent.preemptor_uid == state.seen.uid && intent.generation == state.seen.generation &&
           last_moment(intent) >= state_.now.since_start;
  });
}

void Reactor::note_decision(PodState& state, const policy::ResizeDecision& decision) {
  state.decision = decision;
  const bool is_resize = !state.asks_admission;
  if (is_resize && decision.verdict != policy::Verdict::Unchanged) count_resize(state);
  state.decided_generation = state.seen.generation;
  const bool deferred = decision.verdict == policy::Verdict::Deferred;
  // An allocated resize stops being Deferred once the allocation is durable; until then other
  // programs see it waiting. In a dry run that never happens.
  const bool allocated = decision.verdict == policy::Verdict::Allocated;
  if (deferred) {
    note_deferred(state);
  } else if (!allocated || options_.dry_run) {
    if (state.deferred_since && state.deferred_anew) state.deferred_before = state.deferred_since;
    state.deferred_since.reset();
  }

  const bool waits = deferred || decision.verdict == policy::Verdict::Infeasible;
  const bool tells = waits || (allocated && options_.dry_run);
  if (!tells || !is_resize || is_contended()) return;  // after a yield, another writer reports
  const std::string announcement = std::string(policy::to_string(decision.verdict)) + "/" +
                                   std::to_string(state.seen.generation);
  if (state.announced == announcement) return;
  state.announced = announcement;
  if (options_.dry_run) {
    const std::string_view would = allocated  ? "would allocate"
                                   : deferred ? "would defer"
                                              : "would call infeasible";
    say_what_would_be(state.seen, resize_event_text(would, state.seen, state.seen.generation,
                                                    allocated ? "" : decision.message));
  }
  if (!waits) return;
  // Nothing is repeated after a restart: the API still shows it.
  const policy::ResizeConditions after =
      policy::conditions_after_verdict(state.seen, *state_.node, decision, state_.now.wall);
  if (!after.pending_changed) return;
  ++state_.counts.outcomes[deferred ? "deferred" : "infeasible"];
  if (options_.dry_run) return;
  const auto note = [&](const std::string& error) {
    return resize_event_text("Pod resize " + decision.reason, state.seen, state.seen.generation,
                             error);
  };
  const policy::PodText error = message_of(decision, state.seen.ns, first_unreadable(state_));
  say(state.seen, deferred ? EventReason::ResizeDeferred : EventReason::ResizeInfeasible,
      {note(error.full()), note(error.on_pod())});
}

// If it had another state in between that no other program saw, they see one Deferred without
// interruption: it began when that one did.
void Reactor::note_deferred(PodState& state) {
  const bool same = state.deferred_generation == state.seen.generation;
  if (state.deferred_since && same) return;
  const auto before = std::exchange(state.deferred_before, std::nullopt);
  const bool shown = policy::is_deferred(state.seen);
  const bool may_be_shown = state.writing != 0 || state_.now.since_start < state.shown_by;
  const bool goes_on = same && before && (shown || may_be_shown);
  state.deferred_since = goes_on ? *before : state_.now.since_start;
  state.deferred_generation = state.seen.generation;
  state.deferred_anew = goes_on || !shown;
}

void Reactor::count_resize(PodState& state) {
  if (std::exchange(state.counted_generation, state.seen.generation) == state.seen.generation) {
    return;
  }
  count_requests(state.view, state_.counts.requests);
  took("decide", state.pending_since);
}

void Reactor::took(std::string_view phase, milliseconds since) {
  took_.push_back({std::string(phase), state_.now.since_start - since});
}

void Reactor::propose(Checkpoint proposed) {
  drop_gone(proposed);
  proposed.counted = counted_sets();
  state_.saving = std::move(proposed);
  state_.proposed_at = state_.now.since_start;
  emit(SaveCheckpoint{*state_.saving}, Doing::Save, "");
}

void Reactor::drop_gone(Checkpoint& proposed) const {
  // An unreadable pod may be one of those that seem to be gone.
  if (state_.unreadable.empty()) {
    std::erase_if(proposed.pods,
                  [&](const auto& entry) { return !state_.pods.contains(entry.first); });
  }
  std::erase_if(proposed.removals, [&](const RemovalIntent& intent) {
    if (state_.removal.intent() == intent) return false;
    if (is_over(intent)) return true;
    const auto at = state_.pods.find(intent.preemptor_uid);
    if (at == state_.pods.end() || at->second.seen.generation != intent.generation) return true;
    const ResizePhase preemptor = phase(at->second);
    return preemptor != ResizePhase::Undecided && preemptor != ResizePhase::Deferred;
  });
}

// ---- effects ----

// Each kind has its own bound: status writes that wait for a slow API server do not delay runtime
// calls.
bool Reactor::is_full(Doing doing) const { return flying(state_, doing) >= kMostInFlight; }

bool Reactor::unsettled(const PodState& state) const {
  const auto allocation = state_.durable.pods.find(state.seen.uid);
  const auto report = state_.reports.find(state.seen.uid);
  if (allocation == state_.durable.pods.end() || report == state_.reports.end()) return false;
  return !is_unread(report->second) && !is_settled(state.view, allocation->second, report->second);
}

void Reactor::plan_actuation(PodState& state) {
  if (is_contended() || !state_.runtime_trouble.empty() || state.acting != 0) return;
  if (policy::is_terminating(state.seen) || policy::is_finished(state.seen)) return;
  // From an older copy, nothing is actuated before the API was asked what it knows better.
  if (state_.unsure.contains(state.seen.uid)) return;
  // The same for what may be older than what API or runtime show.
  const bool is_unproven = state_.unproven.contains(state.seen.uid);
  if (is_unproven) return;
  const auto allocation = state_.durable.pods.find(state.seen.uid);
  const auto report = state_.reports.find(state.seen.uid);
  if (allocation == state_.durable.pods.end() || report == state_.reports.end()) return;
  // The previous size is about to be replaced: its failed steps are not retried, and a failure now
  // would be attributed to its successor.
  if (state_.saving) {
    const auto next = state_.saving->pods.find(state.seen.uid);
    if (next == state_.saving->pods.end() || next->second != allocation->second) return;
  }

  auto step = next_step(state.view, allocation->second, report->second, options_.manage_pod_cgroups,
                        state_.weight_map);
  const auto* restart = step ? std::get_if<policy::RestartContainer>(&step->step) : nullptr;
  state.restarting = restart == nullptr ? "" : restart->name;
  if (!step) {
    const bool goes_on =
        state.resizing || policy::has_true(state.seen.conditions, policy::kPodResizeInProgress);
    if (goes_on && !is_unread(report->second) && !unsettled(state)) complete(state);
    return;
  }
  // The pod runner reads there with which size it starts the container.
  if (restart != nullptr && !shows_start(state.seen, restart->name, allocation->second)) return;
  if (!state.act_backoff.allows(state_.now.since_start) || is_full(Doing::Act)) return;
  const std::string target = acted_on(*step);
  if (was_undone(state.own_sizes, target, report->second, state_.now.since_start)) {
    note_undone(state,
                target.empty() ? "the size of its cgroup" : "the size of its container " + target);
  }
  if (is_contended() || !state.put_back.allows(state_.now.since_start)) return;
  const EffectId id = emit(*step, Doing::Act, state.seen.uid);
  state_.in_flight[id].acted_on = target;
  state.acting = id;
}

void Reactor::complete(PodState& state) {
  const bool ours = std::exchange(state.resizing, false);
  if (ours && state.allocated_at && state.acted_at) {
    took_.push_back({"actuate", *state.acted_at - *state.allocated_at});
    took("verify", *state.acted_at);
  }
  if (!state.act_error.empty()) state.act_error.clear();
  // plan_write removes a condition from before a restart; the event is written once.
  if (state.announced == "completed") return;
  state.announced = "completed";
  ++state_.counts.outcomes["completed"];
  say(state.seen, EventReason::ResizeCompleted,
      resize_event_text("Pod resize completed", state.seen,
                        state_.durable.pods[state.seen.uid].generation, ""));
}

std::optional<policy::Condition> Reactor::in_progress_of(const PodState& state) const {
  const bool going_on = state.resizing || unsettled(state);
  if (!going_on) return std::nullopt;
  const auto allocation = state_.durable.pods.find(state.seen.uid);
  if (allocation == state_.durable.pods.end()) return std::nullopt;
  const policy::Condition* stands =
      policy::find_condition(state.seen.conditions, policy::kPodResizeInProgress);
  const bool same = stands != nullptr && policy::is_of(*stands, allocation->second.generation);
  policy::Condition condition{.type = std::string(policy::kPodResizeInProgress),
                              .status = "True",
                              .observed_generation = allocation->second.generation,
                              .last_transition = same ? stands->last_transition : state_.now.wall};
  if (state.act_error.empty()) return condition;
  return policy::in_progress_error(condition, state.act_error, state_.now.wall);
}

void Reactor::annotate_node() {
  if (!state_.node || !state_.api_trouble.empty() || state_.annotating != 0 ||
      !state_.annotate_backoff.allows(state_.now.since_start))
    return;
  if (options_.authority && !state_.critical_preemption) return;
  const bool wanted = preempts_for_critical_pods();
  if (state_.node->critical_preemption_by_node == wanted) return;
  state_.annotating = emit(AnnotateNode{state_.node->name, wanted}, Doing::Annotate, "");
}

void Reactor::find_next_wake() {
  state_.next_wake.reset();
  const auto consider = [this](milliseconds at) {
    if (at > state_.now.since_start && (!state_.next_wake || at < *state_.next_wake))
      state_.next_wake = at;
  };
  consider(state_.save_backoff.not_before);
  consider(state_.annotate_backoff.not_before);
  consider(state_.removal_backoff.not_before);
  if (const auto at = state_.budgets.next_old()) consider(*at);
  if (is_contended()) consider(state_.contention.ends_at);
  for (const RemovalIntent& intent : state_.durable.removals) {  // no room is reserved from then on
    if (const auto at = last_moment(intent)) consider(*at + milliseconds(1));
  }
  for (const auto& [uid, state] : state_.pods) {
    consider(state.act_backoff.not_before);
    consider(state.write_backoff.not_before);
    consider(state.put_back.not_before);
    consider(state.shown_by);
    if (state.overdue_at) consider(*state.overdue_at);
  }
}

void Reactor::say(const policy::Pod& pod, EventReason reason, const policy::PodText& note) {
  // Best effort: nothing waits for an event, so it is not in flight.
  outbox_.push_back({++state_.last_effect, event_of(reason, pod, note)});
}

// For the log: in a dry run the executor writes no event either.
void Reactor::say_what_would_be(const policy::Pod& pod, std::string note) {
  outbox_.push_back({++state_.last_effect, EmitEvent{.ns = pod.ns,
                                                     .pod = pod.name,
                                                     .uid = pod.uid,
                                                     .reason = "DryRun",
                                                     .action = "Resize",
                                                     .note = std::move(note)}});
}

// ---- queries ----

std::vector<ReadyCheck> Reactor::ready_checks() const {
  const std::string unreadable =
      state_.unreadable.empty()
          ? ""
          : state_.unreadable.begin()->first + ": " + state_.unreadable.begin()->second;
  std::vector<ReadyCheck> checks;
  const auto check = [&](std::string_view name, std::string why) {
    const bool ok = why.empty();
    checks.push_back({std::string(name), ok, std::move(why)});
  };
  check("api", state_.api_trouble);
  check("node", state_.node ? ""
                : state_.node_trouble.empty()
                    ? "no Node named " + options_.node_name + " was seen yet"
                    : state_.node_trouble);
  check("pods", state_.pods_listed ? unreadable : "the pods of this node were not listed yet");
  std::size_t refused = 0;
  std::string refusal;
  for (const auto& [uid, state] : state_.pods) {
    if (state.write_error.empty()) continue;
    if (++refused == 1) refusal = state.write_error;
  }
  if (refused > 1) refusal += " (and " + std::to_string(refused - 1) + " more)";
  check("writes", std::move(refusal));
  if (options_.authority) {
    check("runtime", state_.runtime_trouble);
    check("disk", state_.disk_trouble);
  }
  check("contention", contention());
  return checks;
}

Snapshot Reactor::snapshot() const {
  return {.checks = ready_checks(),
          .counts = state_.counts,
          .pods = state_.pods.size(),
          .contended = is_contended(),
          .critical_preemption = state_.critical_preemption,
          .took = took_,
          .undone = undone_,
          .overruled = overruled_};
}

NodeTotals Reactor::figures() const {
  NodeTotals of = sum_up(state_.node ? &*state_.node : nullptr, views());
  of.quarantined = state_.unreadable.size();
  of.may_still_stop = state_.removal.remaining(state_.now.since_start);
  for (const auto& [uid, state] : state_.pods) {
    if (!state.deferred_since) continue;
    const milliseconds waited = state_.now.since_start - *state.deferred_since;
    of.deferred_longest = std::max(of.deferred_longest, waited);
  }
  return of;
}

std::optional<policy::Node> Reactor::node() const {
  std::optional<policy::Node> known = state_.node;
  if (known) known->critical_preemption_by_node = preempts_for_critical_pods();
  return known;
}

const PodState* Reactor::find_pod(std::string_view key) const {
  for (const auto& [uid, state] : state_.pods) {
    if (policy::key_of(state.seen) == key) return &state;
  }
  return nullptr;
}

std::vector<policy::Pod> Reactor::views() const {
  std::vector<policy::Pod> all;
  for (const auto& [uid, state] : state_.pods) {
    if (state_.node && policy::never_fits(*state_.node, state.view)) continue;
    all.push_back(state.view);
  }
  return all;
}

}  // namespace elbowroom::agent
