#include "scheduler/removal/victim_remover.h"

#include <algorithm>
#include <map>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include "cluster/ledger_sight.h"
#include "policy/model/condition.h"
#include "policy/preemption/budget_account.h"
#include "scheduler/removal/confirmation.h"
#include "scheduler/removal/group_rest.h"

namespace elbowroom::scheduler {
namespace {

using policy::Pod;
using policy::PodText;

bool is_mark(const policy::Condition& condition) {
  return condition.type == policy::kDisruptionTarget;
}

// An agent's mark is its own to remove.
bool is_marked_by_us(const Pod& pod) {
  const policy::Condition* target =
      policy::find_condition(pod.conditions, policy::kDisruptionTarget);
  return target != nullptr && target->reason == policy::kReasonPreemptionByScheduler;
}

const DeleteVictim* delete_of(const RemovalStep& step) {
  const auto* removed = std::get_if<DeleteVictim>(&step.step);
  return removed != nullptr && !removed->dry_run ? removed : nullptr;
}

// How the preemptor's owner, who reads that namespace, is told of a budget.
PodText budget_in_words(const cluster::BudgetName& budget, const std::string& reader) {
  const std::string name = "disruption budget " + to_string(budget);
  return {name, budget.ns == reader ? name : "a disruption budget of another namespace"};
}

}  // namespace

// ---- the course of a removal ----

void VictimRemover::begin(RemovalRequest request) {
  for (Pod& each : request.victims) {
    if (is_marked_by_us(each) && !state_.marks.is_taken_back(each.uid)) continue;
    // It is marked once more, or it would be removed without a mark of ours.
    std::erase_if(each.conditions, is_mark);
  }
  drive(state_.removals.add(std::move(request), state_.now.wall, state_.time()));
  follow_ledgers();
}

void VictimRemover::drive_held_up() {
  if (!std::exchange(state_.is_held_up, false)) return;
  for (const std::uint64_t number : state_.removals.numbers()) {
    drive(*state_.removals.find(number));
  }
  follow_ledgers();
}

// What is in flight is still answered, and pods whose delete was accepted terminate.
void VictimRemover::forget_all() {
  state_.debits.forget_all();
  for (const Removal& removal : state_.removals.take_all()) {
    const Preemptor& preemptor = removal.set.preemptor();
    if (preemptor.is_pending) nominations_.take_back(preemptor);
  }
}

// May end and forget the removal.
void VictimRemover::drive(Removal& removal) {
  if (removal.set.stage() <= SetRemoval::Stage::Ready) count(removal);
  if (removal.set.stage() == SetRemoval::Stage::Ready) {
    if (is_kept(removal)) {
      look_again(removal);
    } else if (!state_.breaker_store.trouble().empty()) {
      removal.set.abandon(not_kept_in_words(state_.breaker_store));
    }
  }
  if (removal.set.stage() == SetRemoval::Stage::Debiting && removal.debiting.empty()) {
    look_again_beside_debits(removal);
    if (removal.set.stage() == SetRemoval::Stage::Clearing) release_budgets(removal);
  }
  take_steps(removal);
  if (removal.set.stage() == SetRemoval::Stage::Ended) end_.end(removal.number);
}

// A pod that was counted before, and still is, is not counted again.
void VictimRemover::count(Removal& removal) {
  const auto is_counted = [](const auto& entry) { return entry.second != 0; };
  if (!removal.counted_as.empty() && std::ranges::all_of(removal.counted_as, is_counted)) return;
  for (const auto& [node, uids] : removal.uids_by_node()) {
    CircuitBreakerStore::Number& counted_as = removal.counted_as[node];
    if (counted_as != 0) continue;
    const std::vector<std::string> counted =
        state_.breaker.unnoted(removal.set.preemptor().uid, state_.counted_node(node), uids);
    if (counted.empty()) continue;
    counted_as = state_.breaker_store.add(removal.set.preemptor().uid, state_.counted_node(node),
                                          counted, state_.server_time());
  }
}

bool VictimRemover::is_kept(const Removal& removal) const {
  return std::ranges::all_of(removal.counted_as, [&](const auto& entry) {
    return state_.breaker_store.is_kept(entry.second);
  });
}

// What was decided may have changed while the ledgers were written. Its own debits are no change.
void VictimRemover::look_again_beside_debits(Removal& removal) {
  state_.cluster.leave_out(removal.debits);
  refresh_budgets(removal);
  look_again(removal);
  state_.cluster.leave_out({});
  refresh_budgets(removal);
}

// The last look before the first delete: the decision must still be the same.
void VictimRemover::look_again(Removal& removal) {
  const Preemptor& preemptor = removal.set.preemptor();
  if (preemptor.is_group) return look_again_for_gang(removal);
  if (preemptor.is_pending) return look_again_for_pod(removal);
  const Waiting* pod = state_.waiting.find(preemptor.key, preemptor.uid, preemptor.generation);
  const auto view =
      pod != nullptr ? state_.cluster.view_of(preemptor.node, state_.clocks()) : std::nullopt;
  if (!view || !view->contradiction.empty()) {
    removal.set.abandon("the resize is not waiting any more");
    return;
  }
  if (removal.confirmed_by <= state_.acting_from) return removal.set.confirm_again();
  const ResizeVerdict verdict = judge_.decide(*pod, *view);
  std::set<std::string> chosen;
  for (const policy::ChosenVictim& each : verdict.plan.victims) chosen.insert(each.pod->uid);
  if (verdict.result != TurnResult::Preempts || chosen != removal.uids()) {
    removal.set.abandon(PodText("the node has changed meanwhile: ") + verdict.message);
    return;
  }
  record_set(removal, *view);
  debit(removal);
}

// No node admits the pod now either, and the same pods would be removed from that one.
void VictimRemover::look_again_for_pod(Removal& removal) {
  const Preemptor preemptor = removal.set.preemptor();
  Waiting* pod = state_.waiting.find(preemptor.key, preemptor.uid, preemptor.generation);
  const auto seen = state_.cluster.snapshot().pod(preemptor.key);
  if (pod == nullptr || !pod->is_pending || !seen) {
    return removal.set.abandon("the pod does not wait for a node any more");
  }
  if (removal.confirmed_by <= state_.acting_from) return removal.set.confirm_again();
  const auto decision = placer_.decides_again(*seen, preemptor.node, removal.uids());
  if (!decision) return removal.set.abandon("the cluster has changed meanwhile");
  // A more important pod may have taken its nomination meanwhile, and there is room for both.
  nominations_.assume(*seen, preemptor.node);
  reports_.tell_unplaced(preemptor.key, *pod, *seen, kUnschedulable, removal.terms.message,
                         preemptor.node);
  for (const std::string& each : decision->outranked) nominations_.end(each, preemptor.node);
  debit(removal);
}

// The gang fits nowhere now either, and the same pods would be removed for it.
void VictimRemover::look_again_for_gang(Removal& removal) {
  const Preemptor preemptor = removal.set.preemptor();
  const Waiting* gang = state_.waiting.find(preemptor.key, preemptor.uid);
  if (gang == nullptr) return removal.set.abandon("the pod group does not wait any more");
  if (removal.confirmed_by <= state_.acting_from) return removal.set.confirm_again();
  const auto decision = gangs_.decides_again(preemptor.key, removal.uids());
  if (!decision) return removal.set.abandon("the cluster has changed meanwhile");
  const auto was_asked_for = [&](const policy::MemberPlacement& each) {
    return std::ranges::find(preemptor.members, each.uid, &Victim::uid) != preemptor.members.end();
  };
  if (!std::ranges::all_of(decision->placements, was_asked_for)) {
    return removal.set.abandon("other pods of the group are to be placed by now");
  }
  gangs_.nominate(*decision, removal.terms.message, true);
  debit(removal);
}

// A further set is reported with its cause (docs/decisions/0019). A set that only completes an
// earlier one is none.
void VictimRemover::record_set(Removal& removal, const cluster::NodeView& view) {
  const std::string& uid = removal.set.preemptor().uid;
  const auto preemptor = std::ranges::find(view.pods, uid, &Pod::uid);
  if (preemptor == view.pods.end()) return;
  SetRecord::Uids asked;
  for (const Pod& each : removal.set.victims()) asked.insert(each.uid);
  if (const SetRecord* before = state_.waiting.last_set(uid)) {
    if (!std::ranges::includes(before->asked, asked)) {
      removal.terms.note += PodText("; pods went for it before, and since then ") +
                            cause_since(*before, view, *preemptor);
    }
    asked.insert(before->asked.begin(), before->asked.end());
  }
  state_.waiting.put_last_set(uid, record_of(view, *preemptor, std::move(asked)));
}

// ---- the ledgers of budgets ----

// The victims are entered in the ledgers of the budgets that cover them, before the first delete.
void VictimRemover::debit(Removal& removal) {
  if (removal.set.stage() == SetRemoval::Stage::Debiting) return go_on(removal);
  std::map<cluster::BudgetName, std::vector<Pod>> covered;
  bool is_cut = false;
  for (const Pod& each : removal.set.victims()) {
    auto over = state_.cluster.snapshot().own_budgets_over(each);
    if (over.size() > policy::kMostBudgetsOverPod) {
      std::ranges::stable_partition(over, [](const auto* budget) { return budget->hard; });
      const bool is_wall = over[policy::kMostBudgetsOverPod]->hard && state_.debits.has_walls();
      if (is_wall) {
        ++state_.counts.blocked;
        return removal.set.abandon("too many hard disruption budgets cover a pod by now");
      }
      state_.counts.undebited += over.size() - policy::kMostBudgetsOverPod;
      over.resize(policy::kMostBudgetsOverPod);
      is_cut = true;
    }
    for (const auto* budget : over) covered[cluster::name_of(*budget)].push_back(each);
  }
  if (is_cut) {
    removal.terms.note +=
        PodText("; so many disruption budgets cover a pod that some were not debited");
  }
  for (auto& [name, victims] : covered) {
    removal.debiting.insert(name);
    state_.debits.debit(name, removal.number, std::move(victims));
  }
  hold_budgets(removal);
  if (removal.debiting.empty()) return go_on(removal);
  removal.set.debit();
}

// What is to be sent is sent, and what is decided is followed, until nothing more is.
void VictimRemover::follow_ledgers() {
  const cluster::LedgerSight sight =
      cluster::sight_of(state_.cluster.snapshot(), state_.server_time());
  while (true) {
    if (!state_.may_act()) {
      state_.is_held_up = true;
      return;
    }
    for (cluster::DebitQueue::Task& task : state_.debits.take_tasks(sight)) {
      std::visit(
          [&](auto& what) {
            LedgerTask in_flight{.budget = what.budget,
                                 .reads = std::is_same_v<decltype(what), ReadLedger&>};
            state_.outbox.emit(std::move(what), state_.fence(), std::move(in_flight));
          },
          task);
    }
    state_.counts.hard_ledgers = state_.debits.counts(true);
    state_.counts.soft_ledgers = state_.debits.counts(false);
    const auto verdicts = state_.debits.take_verdicts();
    if (verdicts.empty()) return;
    for (const auto& each : verdicts) take(each);
  }
}

void VictimRemover::take(const cluster::DebitQueue::Verdict& verdict) {
  using Result = cluster::DebitQueue::Result;
  Removal* removal = state_.removals.find(verdict.removal);
  if (removal == nullptr || removal->set.stage() != SetRemoval::Stage::Debiting) return;
  const PodText budget = budget_in_words(verdict.budget, named(removal->set.preemptor()).ns);
  removal->debiting.erase(verdict.budget);
  switch (verdict.result) {
    case Result::Entered:
      break;
    case Result::Passed:
      ++state_.counts.undebited;
      removal->terms.note += PodText("; ") + budget + " was not debited";
      break;
    case Result::Refused:
      ++state_.counts.blocked;
      removal->set.abandon(budget + " allows " + std::to_string(verdict.allowed) + " by now");
      break;
    case Result::Failed:
      ++state_.counts.blocked;
      removal->set.debit_failed(verdict.error, budget + " is hard, and cannot be debited");
      break;
  }
  if (removal->set.stage() == SetRemoval::Stage::Clearing) release_budgets(*removal);
  drive(*removal);
}

void VictimRemover::ledger_done(const LedgerTask& task, policy::DisruptionBudget budget) {
  if (cluster::name_of(budget) != task.budget) {
    // Another one has the name by now.
    return ledger_failed(task, Error{Code::NotFound, "it is another one", {}});
  }
  if (task.reads) {
    state_.debits.read(std::move(budget));
  } else {
    state_.debits.written(std::move(budget));
  }
  follow_ledgers();
}

void VictimRemover::ledger_failed(const LedgerTask& task, const Error& error) {
  state_.debits.failed(task.budget, error);
  follow_ledgers();
}

// At once: the last look of another removal may come before the answers.
void VictimRemover::hold_budgets(Removal& removal) {
  for (const Pod& each : removal.set.victims()) {
    removal.debits.merge(state_.cluster.debit_budgets(each, state_.server_time()));
  }
  refresh_budgets(removal);
}

void VictimRemover::refresh_budgets(const Removal& removal) {
  std::set<std::string> namespaces;
  for (const Pod& each : removal.set.victims()) namespaces.insert(each.ns);
  for (const std::string& ns : namespaces) state_.cluster.refresh_budgets(ns, state_.clocks());
}

void VictimRemover::release_budgets(const Removal& removal) {
  for (const Pod& each : removal.set.victims()) undebit(&removal, victim_of(each));
}

// The deletes are sent.
void VictimRemover::go_on(Removal& removal) {
  const Preemptor& preemptor = removal.set.preemptor();
  CircuitBreaker::VictimsByNode counted;
  for (auto& [node, uids] : removal.uids_by_node()) {
    counted.emplace(state_.counted_node(node), std::move(uids));
  }
  state_.breaker.note(preemptor.uid, counted, state_.time());
  for (const auto& [node, number] : removal.counted_as) {
    state_.breaker_store.goes(number, state_.server_time());
  }
  const bool takes_groups = std::ranges::any_of(
      removal.set.victims(), [](const Pod& each) { return counted_uid(each) != each.uid; });
  ++state_.counts.sets.of(kind_of(preemptor), takes_groups ? VictimKind::Group : VictimKind::Pod);
  state_.counts.budget_violations += static_cast<std::uint64_t>(removal.terms.budget_violations);
  turns_.say(named(preemptor), EventReason::Preempting, removal.terms.note,
             preemptor.is_group ? Subject::PodGroup : Subject::Pod);
  groups_.removed(removal.set.victims(), group_mark_text(preemptor.uid, preemptor.is_group));
  removal.set.go_on();
}

void VictimRemover::take_steps(Removal& removal) {
  const Preemptor& preemptor = removal.set.preemptor();
  const PreemptedFor whose{.uid = preemptor.uid,
                           .node = preemptor.node,
                           .is_pending = preemptor.is_pending,
                           .is_group = preemptor.is_group,
                           .name = control::name_of(named(preemptor))};
  for (SetRemoval::Step& step : removal.set.take_steps()) {
    const auto* mark = std::get_if<MarkVictim>(&step);
    if (mark != nullptr && mark->clear && known(mark->victim)) {
      state_.marks.taken_back(mark->victim.uid);
    }
    const bool confirms =
        std::holds_alternative<ConfirmResize>(step) || std::holds_alternative<ConfirmGroup>(step);
    RemovalStep in_flight{.removal = removal.number, .preemptor = whose, .step = step};
    const EffectId id = std::visit(
        [&](auto& what) {
          return state_.outbox.emit(std::move(what), state_.fence(), std::move(in_flight));
        },
        step);
    if (confirms) removal.confirmed_by = id;
  }
}

// ---- the answers ----

void VictimRemover::step_done(const RemovalStep& step, const std::optional<Pod>& preemptor) {
  Removal* removal = preemptor ? state_.removals.find(step.removal) : nullptr;
  if (removal != nullptr) {
    SetRemoval& set = removal->set;
    const Victim asked = std::get<ConfirmResize>(step.step).preemptor;
    const auto seen = state_.cluster.snapshot().pod(control::name_of(asked));
    const std::string change = set.preemptor().is_group
                                   ? change_of_member(asked, seen, *preemptor)
                                   : change_since(set.preemptor(), seen, *preemptor);
    if (!change.empty()) set.disprove(change);
  }
  step_ended(step, std::nullopt);
}

void VictimRemover::step_done(const RemovalStep& step, const policy::PodGroup& group) {
  Removal* removal = state_.removals.find(step.removal);
  if (removal != nullptr) {
    const std::string change = change_of_group(removal->set.preemptor(), group);
    if (!change.empty()) removal->set.disprove(change);
  }
  step_ended(step, std::nullopt);
}

void VictimRemover::step_failed(const RemovalStep& step, const Error& error) {
  step_ended(step, error);
}

void VictimRemover::step_ended(const RemovalStep& step, const std::optional<Error>& error) {
  const auto* mark = std::get_if<MarkVictim>(&step.step);
  if (mark != nullptr && !mark->clear && !error) state_.marks.marked_again(mark->victim.uid);
  if (error && is_refusal(*error)) note_refusal(step, *error);
  if (const auto* removed = delete_of(step)) delete_ended(step, removed->victim, error);
  Removal* removal = state_.removals.find(step.removal);
  if (removal == nullptr) return;  // of an earlier leadership
  removal->set.finished(step.step, error);
  if (!state_.may_act()) {
    state_.is_held_up = true;
    return;
  }
  drive(*removal);
  follow_ledgers();
}

void VictimRemover::delete_ended(const RemovalStep& step, const Victim& victim,
                                 const std::optional<Error>& error) {
  const bool was_gone = error && error->code == Code::NotFound;
  tell_of_delete(step, victim, error);
  const Removal* removal = state_.removals.find(step.removal);
  if (error) undebit(removal, victim);
  if (!error || was_gone) assume(victim, !error);
  if (error && (was_gone || is_refusal(*error))) uncharge(victim);
  if (error && is_refusal(*error)) state_.debits.take_back(step.removal, victim.uid);
}

// The event of the victim is written with the answer or, where that was lost, once the watch shows
// the pod terminating or gone.
void VictimRemover::tell_of_delete(const RemovalStep& step, const Victim& victim,
                                   const std::optional<Error>& error) {
  // A conflict: the name belongs to another pod by now.
  if (error && (is_refusal(*error) || error->code == Code::Conflict)) return;
  VictimEvents& events = state_.victim_events;
  const bool was_gone = error && error->code == Code::NotFound;
  if (was_gone && !events.is_unanswered(victim.uid)) return;
  const VictimEvent event{victim, step.preemptor, goes_whole(step, victim)};
  const bool is_known = known(victim).has_value();
  if (error && !was_gone) {
    if (is_known && events.unanswered(event)) turns_.count_victim(event);
  } else if (!is_known || events.accepted(event)) {
    turns_.count_victim(event);
  }
}

// As it was when it was chosen, where that is still known.
bool VictimRemover::goes_whole(const RemovalStep& step, const Victim& victim) {
  const Removal* removal = state_.removals.find(step.removal);
  if (removal != nullptr) {
    const auto& chosen = removal->set.victims();
    const auto at = std::ranges::find(chosen, victim.uid, &Pod::uid);
    if (at != chosen.end()) return counted_uid(*at) != at->uid;
  }
  const auto pod = known(victim);
  return pod && counted_uid(*pod) != pod->uid;
}

// A pod that cannot be removed is planned around.
void VictimRemover::note_refusal(const RemovalStep& step, const Error& error) {
  const auto* mark = std::get_if<MarkVictim>(&step.step);
  const auto* removed = std::get_if<DeleteVictim>(&step.step);
  if (removed == nullptr && (mark == nullptr || mark->clear)) return;
  const auto pod = known(mark != nullptr ? mark->victim : removed->victim);
  if (!pod) return;
  if (delete_of(step) != nullptr && goes_whole(step, victim_of(*pod))) {
    groups_.tell_left(*pod, error.message);
  }
  state_.cluster.refusals().refused(*pod, error.message, state_.time());
  state_.marks.doubt_on(pod->node);
}

// The breaker counts what is removed because of us.
void VictimRemover::uncharge(const Victim& victim) {
  const auto pod = known(victim);
  if (!pod) return;
  const std::string counted = counted_uid(*pod);
  const std::string node = state_.counted_node(pod->node);
  state_.breaker.take_back(node, counted);
  state_.breaker_store.take_back(node, counted);
}

// Its delete was not accepted. Other pods may be removed instead; but for its preemptor nothing
// changes.
void VictimRemover::undebit(const Removal* removal, const Victim& victim) {
  if (!state_.cluster.undebit_budgets(victim)) return;
  const std::string but = removal != nullptr ? removal->set.preemptor().key : "";
  if (state_.cluster.places()) {
    state_.cluster.refresh_budgets(victim.ns, state_.clocks());
    state_.wake({"", cluster::Change::Budget}, but);
  }
  for (const std::string& node : state_.cluster.snapshot().nodes_of(victim.ns)) {
    state_.wake({node, cluster::Change::Budget}, but);
  }
}

// Its delete was accepted, or another writer's before, and the watch is to show it.
void VictimRemover::assume(const Victim& victim, bool asked_by_us) {
  const auto pod = known(victim);
  if (!pod) return;
  if (asked_by_us) {
    (void)state_.cluster.debit_budgets(*pod, state_.server_time());
    state_.cluster.refresh_budgets(pod->ns, state_.clocks());
  }
  if (policy::is_terminating(*pod)) return;
  state_.cluster.assume_terminating(*pod, state_.clocks());
}

// The pod of that name and uid; nothing: the watch shows none.
std::optional<Pod> VictimRemover::known(const Victim& victim) const {
  auto pod = state_.cluster.snapshot().pod(control::name_of(victim));
  if (pod && pod->uid != victim.uid) pod.reset();
  return pod;
}

}  // namespace elbowroom::scheduler
