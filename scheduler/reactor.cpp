#include "scheduler/reactor.h"

#include <algorithm>
#include <utility>

namespace elbowroom::scheduler {
namespace {

// So that the first victim is removed before the last one is marked: about as many as requests are
// in flight at a time (api/transport/curl_transport.cpp), or a delete waits for the marks of all
// others.
constexpr std::size_t kMarkingAtOnce = 12;

// A mark that is not answered for that long keeps no other removal waiting.
constexpr Reactor::Time kMarkedWithin{1'000};

// Between two observations, so that what happens is not heard of late: turns, and nodes looked at
// (schedule_bench); some 2 ms.
constexpr std::size_t kTurnsAtOnce = 64;
constexpr std::size_t kNodesAtOnce = 100'000;

// In flight to the API server.
constexpr std::size_t kBindingsAtOnce = 256;

}  // namespace

Reactor::Reactor(ReactorOptions options) : options_(std::move(options)), state_(options_) {}

Reactor::Reactor(ReactorOptions options, ReactorState state)
    : options_(std::move(options)), state_(std::move(state)) {}

Effects Reactor::handle(Observation seen) {
  state_.now = seen.at;
  state_.server_clock.begin(seen.at.wall, seen.at.since_start);
  std::visit([this](auto& what) { on(what); }, seen.what);
  lead_or_follow();
  renew();
  const bool acts = state_.may_act();
  if (acts && !state_.is_acting) begin_to_act();
  state_.is_acting = acts;
  if (acts) work();
  breaker_keeper_.keep();
  find_next_wake();
  return state_.outbox.take();
}

std::string Reactor::idle_because() const {
  if (state_.leadership.is_stopping()) return "it is about to end";
  if (!is_synced()) return "nodes, pods, budgets and pod groups are not all listed yet";
  if (std::string why = lost(); !why.empty()) return why;
  if (std::string trouble = lease_error(); !trouble.empty()) return trouble;
  if (leads()) return "";
  const std::string& holder = state_.leadership.holder();
  return holder.empty() ? "nobody leads yet" : holder + " leads";
}

// ---- leading ----

void Reactor::lead_or_follow() {
  switch (state_.leadership.advance(state_.outbox.is_writing(), state_.now)) {
    case Leadership::Turn::Begins:
      return begin_to_lead();
    case Leadership::Turn::Ends:
      return remover_.forget_all();
    case Leadership::Turn::CutsOff:
      state_.outbox.emit(GiveUpWrites{}, *state_.leadership.next(now()));
      return;
    case Leadership::Turn::None:
      return;
  }
}

// Nothing of an earlier leadership is relied upon: marks tell what was begun.
void Reactor::begin_to_lead() {
  state_.counts.transitions = state_.leadership.number();
  state_.breaker_store.begin();
  state_.victim_events.begin_to_lead();
  state_.waiting.begin_again(now());
}

void Reactor::renew() {
  if (auto write = state_.leadership.take_write(state_.now)) {
    state_.outbox.emit(WriteLease{std::move(write->lease)}, write->not_after, LeaseWrite{});
  }
}

// ---- what is seen of the API server itself ----

void Reactor::on(const Back& seen) {
  state_.cluster.back(seen.of);
  if (is_of_volumes(seen.of)) volumes_.following_changed();
}

// A rate may allow more, or less, than was assumed.
void Reactor::on(const ServerDated& seen) {
  state_.server_clock.saw(seen.date, now());
  follower_.rates_changed();
}

void Reactor::on(const PolicyFieldProbed& seen) {
  state_.keeps_policy_field = seen.kept;
  for (const auto& [key, pod] : state_.waiting.all()) {
    if (pod.result != TurnResult::Yields) continue;
    state_.waiting.queue().wake_one(key, cluster::Change::Own, now());
  }
}

// ---- what was done ----

// A removed mark is gone once the watch shows it.
void Reactor::on(const Done& done) {
  const auto what = state_.outbox.answered(done.effect);
  if (!what) return;
  if (std::holds_alternative<LeaseWrite>(*what)) {
    state_.leadership.written(done.lease, now());
  } else if (const auto* step = std::get_if<RemovalStep>(&*what)) {
    if (done.group) {
      remover_.step_done(*step, *done.group);
    } else {
      remover_.step_done(*step, done.pod ? std::optional(done.pod->unpacked()) : std::nullopt);
    }
  } else if (const auto* binding = std::get_if<PodBinding>(&*what)) {
    binder_.bound(*binding);
    group_reports_.bound(binding->key);
  } else if (const auto* write = std::get_if<PendingWrite>(&*what)) {
    reports_.written(*write);
  } else if (const auto* group = std::get_if<GroupWrite>(&*what)) {
    group_reports_.written(*group);
  } else if (const auto* ledger = std::get_if<LedgerTask>(&*what)) {
    if (done.budget) remover_.ledger_done(*ledger, *done.budget);
  } else if (const auto* keeping = std::get_if<Keeping>(&*what)) {
    breaker_keeper_.kept(*keeping, done);
  }
}

void Reactor::on(const Failed& failed) {
  const auto what = state_.outbox.answered(failed.effect);
  if (!what) return;
  if (std::holds_alternative<LeaseWrite>(*what)) {
    return state_.leadership.failed(failed.error, now());
  }
  if (now() >= state_.fence()) ++state_.counts.fenced_writes;
  if (const auto* step = std::get_if<RemovalStep>(&*what)) {
    remover_.step_failed(*step, failed.error);
    if (const Victim* rest = left_of_group(*step)) {
      clearer_.not_cleared(control::name_of(*rest), failed.error);
    }
  } else if (const auto* binding = std::get_if<PodBinding>(&*what)) {
    binder_.not_bound(*binding, failed.error);
  } else if (const auto* volume = std::get_if<VolumeWrite>(&*what)) {
    binder_.volume_not_written(*volume, failed.error);
  } else if (const auto* write = std::get_if<PendingWrite>(&*what)) {
    reports_.not_written(*write, failed.error);
  } else if (const auto* keeping = std::get_if<Keeping>(&*what)) {
    breaker_keeper_.not_kept(*keeping, failed.error);
  } else if (const auto* group = std::get_if<GroupWrite>(&*what)) {
    group_reports_.not_written(*group, failed.error);
  } else if (const auto* ledger = std::get_if<LedgerTask>(&*what)) {
    remover_.ledger_failed(*ledger, failed.error);
  } else {
    clearer_.not_cleared(std::get<StaleMark>(*what).key, failed.error);
  }
}

// ---- what follows ----

// What was asked for before something was lost is not what the state shows now.
void Reactor::begin_to_act() {
  state_.acting_from = state_.outbox.last();
  state_.marks.doubt_all();
}

void Reactor::work() {
  state_.waiting.queue().advance(now());
  state_.breaker.advance(now());
  drop_overdue();
  state_.cluster.avoided_nodes().advance(now());
  remover_.drive_held_up();
  if (!options_.dry_run) {
    for (const VictimEvent& event : state_.victim_events.take_inherited()) {
      turns_.tell_victim(event);
    }
  }
  if (has_looked()) judge_next();
  group_reports_.refresh_due();
  clearer_.clear_stale();
}

void Reactor::drop_overdue() {
  for (const std::string& node : state_.cluster.drop_overdue_victims(state_.clocks())) {
    state_.wake({node, cluster::Change::PodLeaving});
    state_.marks.doubt_on(node);
  }
  for (const std::string& ns : state_.cluster.take_due_budgets(now())) {
    state_.cluster.refresh_budgets(ns, state_.clocks());
    state_.wake({"", cluster::Change::Budget});
  }
}

// A dry run removes nothing, so it needs no record.
bool Reactor::has_looked() const { return options_.dry_run || state_.breaker_store.has_looked(); }

void Reactor::judge_next() {
  offer_slots();
  bool is_cleared = false;
  std::size_t nodes = 0;
  for (std::size_t turn = 0; turn < kTurnsAtOnce && nodes < kNodesAtOnce && judges_at() == now();
       ++turn) {
    const auto popped = state_.waiting.queue().pop();
    if (!popped) return;
    state_.waiting.slots().remove(popped->id);
    // The flush is for changes that no event reported: what was found before does not count.
    const bool is_flush = popped->cause == Queue::Cause::Flush;
    if (is_flush && !std::exchange(is_cleared, true))
      state_.waiting.queue().unplaced().forget_answers();
    nodes += judge(*popped);
  }
}

// Returns the nodes looked at.
std::size_t Reactor::judge(const Queue::Popped& popped) {
  auto& [key, pod] = *state_.waiting.entry(popped.id);
  PlaceTurn turn;
  if (pod.is_group) {
    turn = gangs_.judge(key, pod);
  } else if (pod.is_pending) {
    turn = placer_.judge(key, pod);
  } else {
    turn.removal = judge_.judge(key, pod);
  }
  if (turn.removal && !victims_give_way(*turn.removal, popped.id)) {
    remover_.begin(*std::move(turn.removal));
  }
  const Waiting* judged = state_.waiting.find(popped.id);
  if (judged == nullptr) return turn.nodes_looked_at;
  const bool was_useful = !options_.dry_run && (judged->result == TurnResult::Preempts ||
                                                judged->result == TurnResult::Binds);
  if (popped.cause == Queue::Cause::Flush && was_useful) ++state_.counts.useful_flushes;
  return turn.nodes_looked_at;
}

// Where a victim is on no node yet, its room is free at once, and the preemptor judged again.
bool Reactor::victims_give_way(const RemovalRequest& request, const std::string& id) {
  const Preemptor& preemptor = request.preemptor;
  bool any = false;
  for (const policy::Pod& each : request.victims) {
    any = binder_.gives_way(each, preemptor.key) || any;
  }
  Waiting* pod = state_.waiting.find(id);
  if (!any || pod == nullptr) return any;
  if (preemptor.is_pending) nominations_.take_back(preemptor);
  pod->said = {};  // that pods are removed for it
  state_.waiting.queue().park(id, Queue::Wish{.deadline = now()}, now());
  return true;
}

// As many pods that wait for a removal to end as may begin one now.
void Reactor::offer_slots() {
  for (std::size_t slot = state_.removals.size(); slot < ReactorState::kMostRemovals; ++slot) {
    const auto next = state_.waiting.slots().take();
    if (!next) return;
    state_.waiting.queue().wake_one(*next, cluster::Change::RemovalEnded, now());
  }
}

// While marks are in flight no victims are chosen, but a server that does not answer them stops no
// other removal.
std::optional<Reactor::Time> Reactor::judges_at() const {
  if (state_.outbox.bindings() >= kBindingsAtOnce) return std::nullopt;
  std::size_t marking = 0;
  std::optional<Time> first;
  for (const auto& [number, removal] : state_.removals.all()) {
    const Time late = removal.begun + kMarkedWithin;
    if (removal.set.stage() != SetRemoval::Stage::Marking || late <= now()) continue;
    ++marking;
    first = std::min(first.value_or(late), late);
  }
  return marking < kMarkingAtOnce ? now() : first;
}

void Reactor::find_next_wake() {
  state_.next_wake.reset();
  const auto consider = [this](const std::optional<Time>& at) {
    state_.next_wake = sooner(state_.next_wake, at);
  };
  consider(state_.leadership.next(now()));
  if (leads() && !options_.dry_run) consider(state_.breaker_store.next());
  if (!state_.may_act()) return;
  consider(state_.waiting.queue().next());
  consider(state_.cluster.next_victim());
  consider(state_.marks.next());
  consider(state_.cluster.next_budget());
  consider(state_.group_statuses.next());
  if (state_.waiting.queue().has_active() && has_looked()) consider(judges_at());
}

}  // namespace elbowroom::scheduler
