// The reactor's part that removes pods.
#include <algorithm>
#include <set>
#include <utility>

#include "base/backoff.h"
#include "base/seeded_bug.h"
#include "policy/model/charge.h"
#include "policy/preemption/preemption_messages.h"
#include "scheduler/confirmation.h"
#include "scheduler/reactor.h"

namespace elbowroom::scheduler {
namespace {

using policy::Pod;
using policy::PodText;

// Until a set that went is looked at again whatever happens.
constexpr Reactor::Time kShownWithin{30'000};

// A watch that says nothing is told stale after three minutes at the latest; until then a pod whose
// delete was accepted counts as leaving although it is not seen so.
constexpr Reactor::Time kAssumedBeyondGrace{240'000};

// Others may go instead; but not one after the other without a pause.
constexpr Reactor::Time kLongestAfterRefusal{60'000};

bool is_mark(const policy::Condition& condition) {
  return condition.type == policy::kDisruptionTarget;
}

// An agent's mark is its own to take back.
bool is_marked_by_us(const Pod& pod) {
  const policy::Condition* target =
      policy::find_condition(pod.conditions, policy::kDisruptionTarget);
  return target != nullptr && target->reason == policy::kReasonPreemptionByScheduler;
}

std::set<std::string> uids_of(const std::vector<Pod>& pods) {
  std::set<std::string> uids;
  for (const Pod& pod : pods) uids.insert(pod.uid);
  return uids;
}

}  // namespace

void Reactor::begin_removal(const std::string& key, const Waiting& pod, std::vector<Pod> victims,
                            RemovalTerms terms) {
  for (Pod& each : victims) {
    if (is_marked_by_us(each) && !taken_back_.contains(each.uid)) continue;
    // It is marked once more, or it would be removed without a mark of ours.
    std::erase_if(each.conditions, is_mark);
  }
  Removal removal{.number = ++last_removal_,
                  .set = SetRemoval({.key = key,
                                     .uid = pod.uid,
                                     .generation = pod.generation,
                                     .node = pod.node,
                                     .is_pending = pod.is_pending},
                                    std::move(victims), now_.wall),
                  .terms = std::move(terms),
                  .begun = now_.since_start};
  drive(removals_.emplace(pod.node, std::move(removal)).first->second);
}

// Those whose answers came while nothing might be written.
void Reactor::drive_all() {
  if (!std::exchange(was_held_up_, false)) return;
  std::vector<std::string> nodes;
  for (const auto& [node, removal] : removals_) nodes.push_back(node);
  for (const std::string& node : nodes) drive(removals_.find(node)->second);
}

// Who was counted before, and is still, is not counted again.
void Reactor::count(Removal& removal) {
  if (removal.counted_as != 0) return;
  const Preemptor& whom = removal.set.preemptor();
  const std::set<std::string> uids = uids_of(removal.set.victims());
  const std::vector<std::string> all(uids.begin(), uids.end());
  const std::vector<std::string> counted = breaker_.unnoted(whom.node, all);
  if (counted.empty()) return;
  removal.counted_as = breaker_store_.add(whom.uid, whom.node, counted, server_time());
}

// May end and forget the removal.
void Reactor::drive(Removal& removal) {
  if (removal.set.stage() <= SetRemoval::Stage::Ready) count(removal);
  if (removal.set.stage() == SetRemoval::Stage::Ready) {
    if (breaker_store_.is_kept(removal.counted_as)) {
      look_again(removal);
    } else if (!breaker_store_.trouble().empty()) {
      removal.set.abandon(not_kept_in_words());
    }
  }
  take_steps(removal);
  if (removal.set.stage() == SetRemoval::Stage::Ended) end_removal(removal.set.preemptor().node);
}

std::string Reactor::not_kept_in_words() const {
  return "what the circuit breaker counts cannot be kept (" + breaker_store_.trouble() + ")";
}

// The last look before the first delete: is it still the same answer?
void Reactor::look_again(Removal& removal) {
  if (seeded(SeededBug::TakesNoLastLook)) return removal.set.go_on();
  const Preemptor& whom = removal.set.preemptor();
  if (whom.is_pending) return look_again_for_pod(removal);
  const auto pod = waiting_.find(whom.key);
  const bool waits = pod != waiting_.end() && pod->second.uid == whom.uid &&
                     pod->second.generation == whom.generation;
  const auto view = waits ? view_of(whom.node) : std::nullopt;
  if (!view || (!view->contradiction.empty() && !seeded(SeededBug::IgnoresContradiction))) {
    removal.set.abandon("the resize is not waiting any more");
    return;
  }
  if (removal.confirmed_by <= acting_from_) {
    removal.set.confirm_again();
    return;
  }
  const Verdict verdict = decide(pod->second, *view);
  std::set<std::string> chosen;
  for (const policy::ChosenVictim& each : verdict.plan.victims) chosen.insert(each.pod->uid);
  if (verdict.result != TurnResult::Preempts || chosen != uids_of(removal.set.victims())) {
    removal.set.abandon(PodText("the node has changed meanwhile: ") + verdict.message);
    return;
  }
  record_set(removal, *view);
  go_on(removal);
}

// A further set is told with its cause (docs/decisions/0019); one that is only finished is none.
void Reactor::record_set(Removal& removal, const cluster::NodeView& view) {
  const Preemptor& whom = removal.set.preemptor();
  const auto preemptor = std::ranges::find(view.pods, whom.uid, &Pod::uid);
  if (preemptor == view.pods.end()) return;
  SetRecord::Uids asked;
  for (const Pod& each : removal.set.victims()) asked.insert(each.uid);
  const auto before = last_sets_.find(whom.uid);
  if (before != last_sets_.end()) {
    if (!std::ranges::includes(before->second.asked, asked)) {
      removal.terms.note += PodText("; pods went for it before, and since then ") +
                            cause_since(before->second, view, *preemptor);
    }
    asked.insert(before->second.asked.begin(), before->second.asked.end());
  }
  last_sets_[whom.uid] = record_of(view, *preemptor, std::move(asked));
}

// The deletes are sent.
void Reactor::go_on(Removal& removal) {
  const Preemptor& whom = removal.set.preemptor();
  const std::set<std::string> uids = uids_of(removal.set.victims());
  breaker_.note(whom.uid, whom.node, {uids.begin(), uids.end()}, now_.since_start);
  breaker_store_.goes(removal.counted_as, server_time());
  ++counts_.sets;
  counts_.budget_violations += static_cast<std::uint64_t>(removal.terms.budget_violations);
  say(named(whom), EventReason::Preempting, removal.terms.note);
  // At once: the last look of another removal may come before the answers.
  std::set<std::string> namespaces;
  for (const Pod& each : removal.set.victims()) {
    snapshot_.debit_budgets(each, server_time());
    namespaces.insert(each.ns);
  }
  for (const std::string& ns : namespaces) {
    if (places()) refresh_budgets(ns);
  }
  removal.set.go_on();
}

void Reactor::take_steps(Removal& removal) {
  for (SetRemoval::Step& step : removal.set.take_steps()) {
    const EffectId id = std::visit([this](const auto& what) { return emit(what, fence()); }, step);
    const auto* mark = std::get_if<MarkVictim>(&step);
    if (mark != nullptr && mark->clear) takes_back(mark->victim);
    if (std::holds_alternative<ConfirmResize>(step)) removal.confirmed_by = id;
    in_flight_.emplace(id,
                       RemovalStep{.node = removal.set.preemptor().node,
                                   .removal = removal.number,
                                   .preemptor = {.uid = removal.set.preemptor().uid,
                                                 .node = removal.set.preemptor().node,
                                                 .is_pending = removal.set.preemptor().is_pending},
                                   .step = std::move(step)});
  }
}

void Reactor::takes_back(const Victim& marked) {
  const auto pod = snapshot_.pod(marked.ns + "/" + marked.name);
  if (pod && pod->uid == marked.uid) taken_back_.insert(marked.uid);
}

// The preemptor as the API server has it.
void Reactor::step_shown(const RemovalStep& step, const Pod& preemptor) {
  const auto at = removals_.find(step.node);
  if (at == removals_.end() || at->second.number != step.removal) return;
  SetRemoval& set = at->second.set;
  const Preemptor& whom = set.preemptor();
  const std::string change = change_since(whom, snapshot_.pod(whom.key), preemptor);
  if (!change.empty()) set.disprove(change);
}

void Reactor::step_ended(const RemovalStep& step, const std::optional<Error>& error) {
  const auto* mark = std::get_if<MarkVictim>(&step.step);
  if (mark != nullptr && !mark->clear && !error) taken_back_.erase(mark->victim.uid);
  if (error && is_refusal(*error)) note_refusal(step, *error);
  const auto* removed = std::get_if<DeleteVictim>(&step.step);
  const bool is_delete = removed != nullptr && !removed->dry_run;
  const bool goes = is_delete && !error;
  const bool was_gone = is_delete && error && error->code == Code::NotFound;
  if (is_delete) answered_delete(step, removed->victim, error);
  if (is_delete && error) undebit(step, removed->victim);
  if (goes || was_gone) assume(removed->victim, goes);
  if (is_delete && error && (was_gone || is_refusal(*error))) uncharge(removed->victim);
  const auto at = removals_.find(step.node);
  // Of an earlier leadership?
  if (at == removals_.end() || at->second.number != step.removal) return;
  Removal& removal = at->second;
  removal.set.finished(step.step, error);
  if (!may_act()) {
    was_held_up_ = true;
    return;
  }
  drive(removal);
}

void Reactor::tell_victim(const VictimEvent& event) {
  say(event.victim, EventReason::Preempted, text_of(event.preemptor));
}

void Reactor::count_victim(const VictimEvent& event) {
  ++counts_.victims;
  if (event.preemptor.is_pending) ++counts_.victims_for_pods;
  tell_victim(event);
}

// Its event is written with the answer or, where that was lost, once the pod is seen terminating
// or gone.
void Reactor::answered_delete(const RemovalStep& step, const Victim& victim,
                              const std::optional<Error>& error) {
  // A conflict: the name is another pod's by now.
  if (error && (is_refusal(*error) || error->code == Code::Conflict)) return;
  const bool was_gone = error && error->code == Code::NotFound;
  if (was_gone && !victim_events_.is_unanswered(victim.uid)) return;
  const VictimEvent event{victim, step.preemptor};
  const auto pod = snapshot_.pod(victim.ns + "/" + victim.name);
  const bool is_known = pod && pod->uid == victim.uid;
  if (error && !was_gone) {
    if (is_known && victim_events_.unanswered(event)) count_victim(event);
  } else if (!is_known || victim_events_.accepted(event)) {
    count_victim(event);
  }
}

// Whoever cannot go is planned around.
void Reactor::note_refusal(const RemovalStep& step, const Error& error) {
  const auto* mark = std::get_if<MarkVictim>(&step.step);
  const auto* removed = std::get_if<DeleteVictim>(&step.step);
  if (removed == nullptr && (mark == nullptr || mark->clear)) return;
  const Victim& victim = mark != nullptr ? mark->victim : removed->victim;
  const auto pod = snapshot_.pod(victim.ns + "/" + victim.name);
  if (!pod || pod->uid != victim.uid) return;
  refusals_.refused(*pod, error.message, now_.since_start);
  doubt_marks_on(pod->node);
}

// The breaker counts what went because of us.
void Reactor::uncharge(const Victim& victim) {
  const auto pod = snapshot_.pod(victim.ns + "/" + victim.name);
  if (!pod || pod->uid != victim.uid) return;
  breaker_.take_back(pod->node, victim.uid);
  breaker_store_.take_back(pod->node, victim.uid);
}

// Its delete was not accepted. Others may go instead; but that is no news for whom it was to go.
void Reactor::undebit(const RemovalStep& step, const Victim& victim) {
  if (!snapshot_.undebit_budgets(victim.ns, victim.uid)) return;
  const auto at = removals_.find(step.node);
  const bool is_under_way = at != removals_.end() && at->second.number == step.removal;
  if (is_under_way) doing_ = at->second.set.preemptor().key;
  if (places()) {
    refresh_budgets(victim.ns);
    wake("", cluster::Change::Budget);
  }
  for (const std::string& node : snapshot_.nodes_of(victim.ns)) {
    wake(node, cluster::Change::Budget);
  }
  doing_.clear();
}

// Its delete was accepted, or somebody else's before, and the watch is to show it.
void Reactor::assume(const Victim& victim, bool asked_by_us) {
  const std::string key = victim.ns + "/" + victim.name;
  const auto pod = snapshot_.pod(key);
  if (!pod || pod->uid != victim.uid) return;
  if (asked_by_us) snapshot_.debit_budgets(*pod, server_time());
  if (asked_by_us && places()) refresh_budgets(pod->ns);
  if (policy::is_terminating(*pod) || seeded(SeededBug::ForgetsVictims)) return;
  if (places()) take_out_of_room(*pod);
  assumed_[key] = {.uid = victim.uid,
                   .node = pod->node,
                   .until = now_.since_start + kAssumedBeyondGrace +
                            std::chrono::seconds(pod->termination_grace_seconds)};
  assumed_due_.set(key, assumed_[key].until);
  if (places()) put_in_room(*pod);
}

void Reactor::end_removal(const std::string& on) {
  const auto at = removals_.find(on);
  const std::string node = on;  // which may be the removal's own
  const SetRemoval set = std::move(at->second.set);
  if (!set.has_begun()) breaker_store_.take_back(at->second.counted_as);
  removals_.erase(at);
  doubt_marks_on(node);
  const Preemptor& whom = set.preemptor();
  // Nobody goes: what was promised to it there is void.
  if (whom.is_pending && !set.has_begun()) take_back_nomination(whom.key);
  const auto pod = waiting_.find(whom.key);
  const bool waits = pod != waiting_.end() && pod->second.uid == whom.uid &&
                     pod->second.generation == whom.generation;
  if (waits) after_removal(set, pod->second);
  if (seeded(SeededBug::MissesRemovalEnd)) return;
  wake(node, cluster::Change::RemovalEnded);
}

bool Reactor::have_left(const std::vector<Pod>& pods) const {
  return std::ranges::none_of(pods, [this](const Pod& each) {
    const auto known = snapshot_.pod(policy::key_of(each));
    return known && known->uid == each.uid && policy::holds_room(*known);
  });
}

void Reactor::after_removal(const SetRemoval& set, Waiting& pod) {
  const std::string& key = set.preemptor().key;
  const PodText nobody = PodText("nobody was removed: ") + set.trouble();
  switch (set.outcome()) {
    case SetRemoval::Outcome::Removed:
      pod.outdated = pod.refused = pod.unconfirmed = 0;
      rest(key, pod, TurnResult::Preempts, now_.since_start + kShownWithin);
      // The queue is told its node only now: that they have left already is no news from there.
      if (pod.is_pending && have_left(set.victims())) {
        queue_.wake_one(key, cluster::Change::PodLeft, now_.since_start);
      }
      return;
    case SetRemoval::Outcome::Incomplete:
      ++counts_.turns[static_cast<std::size_t>(TurnResult::Failed)];
      pod.result = TurnResult::Failed;
      pod.message = "not all could be removed: " + set.trouble().full();
      queue_.retry(key, pod.uid, set.retry_after(), now_.since_start);
      return;
    case SetRemoval::Outcome::Refused: {
      ++counts_.refused;
      const Time wait = set.is_unconfirmed() ? RefusedRemovals::wait_after(++pod.unconfirmed)
                                             : backoff_delay(Queue::kFirstBackoff,
                                                             kLongestAfterRefusal, pod.refused++);
      OwnerEvent note = note_of(TurnResult::Refused, nobody, "");
      if (pod.is_pending) note.words = PodText("No room is made for the pod: ") + nobody;
      note.time = wall_of(now_.since_start + wait);
      tell(key, pod, note);
      park(key, pod, TurnResult::Refused, nobody.full(), now_.since_start + wait);
      return;
    }
    case SetRemoval::Outcome::Outdated: {
      // The watch is to show it; until then every try would end the same.
      const Time wait = backoff_delay(Queue::kFirstBackoff, Queue::kLongestBackoff, pod.outdated++);
      pod.said = {};
      park(key, pod, TurnResult::Outdated, nobody.full(), now_.since_start + wait);
      return;
    }
    case SetRemoval::Outcome::Overtaken:
      pod.said = {};
      park(key, pod, TurnResult::Overtaken, nobody.full(), now_.since_start + Queue::kFirstBackoff);
      return;
  }
}

// ---- marks that mean nothing any more ----

// The resize that the mark names is Deferred still, on the same node, and its last turn, if it had
// one since we lead, did not find that nobody is to go.
bool Reactor::stands(const policy::RemovalMark& mark, const std::string& node) const {
  const auto keys = by_uid_.find(mark.uid);
  if (keys == by_uid_.end()) return false;
  return std::ranges::any_of(keys->second, [&](const std::string& key) {
    const Waiting& pod = waiting_.find(key)->second;
    if (pod.generation != mark.generation) return false;
    // Who is to be judged again may be told something else.
    const bool is_judged = pod.result && queue_.where(key) == Queue::Where::Parked;
    if (pod.node != node && (is_judged || !pod.is_pending)) return false;
    return !is_judged || row_of(*pod.result).marks_stand;
  });
}

// Something happened there that a mark's standing hangs on.
void Reactor::doubt_marks_on(const std::string& node) {
  if (marks_on_.contains(node)) doubtful_.insert(node);
}

// A pending pod that goes elsewhere: nothing happens where others were marked for it.
void Reactor::doubt_marks_for(const Waiting& pod) {
  if (!pod.is_pending) return;
  for (const auto& [key, seen] : marks_) {
    if (seen.mark.uid == pod.uid) doubtful_.insert(seen.node);
  }
}

void Reactor::clear_stale_marks() {
  for (const std::string& key : marks_due_.take_due(now_.since_start)) {
    doubtful_.insert(marks_.find(key)->second.node);
  }
  if (options_.dry_run || seeded(SeededBug::KeepsStaleMarks)) return doubtful_.clear();
  for (const std::string& node : std::exchange(doubtful_, {})) {
    const auto keys = marks_on_.find(node);
    if (keys == marks_on_.end()) continue;
    for (const std::string& key : keys->second) clear_if_stale(key, marks_.find(key)->second);
  }
}

// Also where the watch has shown the mark gone before our own clearing was answered: somebody else
// took it away, and ours would take the next one.
bool Reactor::is_being_cleared(const std::string& key) const {
  const auto mark = marks_.find(key);
  if (mark != marks_.end() && mark->second.clearing) return true;
  return std::ranges::any_of(in_flight_, [&](const auto& each) {
    const auto* stale = std::get_if<StaleMark>(&each.second);
    return stale != nullptr && stale->key == key;
  });
}

void Reactor::clear_if_stale(const std::string& key, MarkSeen& seen) {
  if (seen.clearing || seen.not_before > now_.since_start) return;
  if (removals_.contains(seen.node) || assumed_.contains(key)) return;
  const bool may_go = !refusals_.holds(seen.uid, now_.since_start);
  if (may_go && stands(seen.mark, seen.node)) return;
  const auto pod = snapshot_.pod(key);
  if (!pod) return;
  seen.clearing = true;
  takes_back(victim_of(*pod));
  in_flight_.emplace(emit(MarkVictim{.victim = victim_of(*pod), .clear = true}, fence()),
                     StaleMark{key});
}

}  // namespace elbowroom::scheduler
