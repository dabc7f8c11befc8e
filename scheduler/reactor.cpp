#include "scheduler/reactor.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/seeded_bug.h"
#include "cluster/unreadable_object.h"
#include "control/jitter.h"
#include "policy/model/charge.h"
#include "policy/model/rejected_pods.h"
#include "policy/model/removal_mark.h"

namespace elbowroom::scheduler {
namespace {

using policy::Pod;

// What the circuit breaker counts; nobody goes meanwhile.
constexpr Reactor::Time kKeptWithin{5'000};

bool waits(const Pod* pod) { return pod != nullptr && waits_for_room(*pod); }

// Marked by a scheduler of ours, and not asked to go yet.
std::optional<policy::RemovalMark> pending_mark(const Pod* pod) {
  if (pod == nullptr || pod->node.empty() || policy::is_terminating(*pod)) return std::nullopt;
  const policy::Condition* target =
      policy::find_condition(pod->conditions, policy::kDisruptionTarget);
  if (target == nullptr || target->reason != policy::kReasonPreemptionByScheduler) {
    return std::nullopt;
  }
  return policy::removal_mark(*pod);
}

std::string_view name_of(Collection of) {
  switch (of) {
    case Collection::Nodes:
      return "nodes";
    case Collection::Pods:
      return "pods";
    case Collection::Budgets:
      return "pod disruption budgets";
    case Collection::OwnBudgets:
      return "disruption budgets";
    case Collection::Namespaces:
      return "namespaces";
  }
  return "";
}

}  // namespace

Reactor::Reactor(ReactorOptions options)
    : options_(std::move(options)),
      snapshot_(options_.places_for),
      leadership_(options_.leader_elect, options_.elector),
      room_(options_.rules),
      breaker_(options_.breaker),
      breaker_store_(options_.breaker.window) {}

Effects Reactor::handle(Observation seen) {
  now_ = seen.at;
  server_clock_.begin(now_.wall, now_.since_start);
  std::visit([this](auto& what) { on(what); }, seen.what);
  lead_or_follow();
  renew();
  // What was asked for before something was lost is not what the view shows now.
  const bool acts = may_act();
  if (acts && !acts_) {
    acting_from_ = last_effect_;
    for (const auto& [node, keys] : marks_on_) doubtful_.insert(node);
  }
  acts_ = acts;
  if (acts) work();
  keep_breaker();
  find_next_wake();
  return std::exchange(outbox_, {});
}

// ---- leading ----

bool Reactor::may_act() const {
  return leads() && is_synced() && (lost_.empty() || seeded(SeededBug::ActsUnseeing));
}

std::string Reactor::lost() const {
  if (lost_.empty()) return "";
  return std::string(name_of(lost_.begin()->first)) + " are not followed: " + lost_.begin()->second;
}

std::string Reactor::idle_because() const {
  if (leadership_.is_stopping()) return "it is about to end";
  if (!is_synced()) return "nodes, pods and budgets are not all listed yet";
  if (!lost_.empty()) return lost();
  if (const std::string trouble = lease_error(); !trouble.empty()) return trouble;
  if (!leads()) {
    const std::string& holder = leadership_.holder();
    return holder.empty() ? "nobody leads yet" : holder + " leads";
  }
  return "";
}

void Reactor::lead_or_follow() {
  const bool is_in_the_way = leadership_.is_stopping() && is_writing();
  switch (leadership_.advance(is_in_the_way, now_)) {
    case Leadership::Turn::Begins:
      return begin_to_lead();
    case Leadership::Turn::Ends:
      return cease_to_lead();
    case Leadership::Turn::CutsOff:
      emit(GiveUpWrites{}, *leadership_.next(now_.since_start));
      return;
    case Leadership::Turn::None:
      return;
  }
}

// Nothing of an earlier leadership is relied upon: marks say what was begun.
void Reactor::begin_to_lead() {
  counts_.transitions = leadership_.number();
  breaker_store_.begin();
  victim_events_.begin_to_lead();
  queue_ = {};
  for (auto& [key, pod] : waiting_) {
    pod.result.reset();
    queue_.add(key, pod.is_pending ? "" : pod.node, pod.priority, now_.since_start);
  }
}

// What is in flight is answered still, and whoever was asked to go goes.
void Reactor::cease_to_lead() {
  for (const auto& [node, removal] : std::exchange(removals_, {})) {
    if (removal.set.preemptor().is_pending) take_back_nomination(removal.set.preemptor().key);
  }
  if (seeded(SeededBug::ForgetsAtHandover)) assumed_.clear();
}

void Reactor::renew() {
  if (auto write = leadership_.take_write(now_)) {
    const EffectId id = emit(WriteLease{std::move(write->lease)}, write->not_after);
    in_flight_.emplace(id, LeaseWrite{});
  }
}

// A dry run removes nobody.
void Reactor::keep_breaker() {
  if (!leads() || options_.dry_run) return;
  const auto asked = breaker_store_.step(now_.since_start, server_time());
  if (!asked) return;
  const Time by = std::min(fence(), now_.since_start + kKeptWithin);
  const EffectId id = std::visit([&](const auto& what) { return emit(what, by); }, *asked);
  in_flight_.emplace(id, Keeping{.leadership = leadership_.number(),
                                 .reads = std::holds_alternative<ReadBreaker>(*asked)});
}

void Reactor::breaker_kept(const Keeping& what, const Done& done) {
  if (what.leadership != leadership_.number()) return;
  was_held_up_ = true;
  if (!what.reads) return breaker_store_.written(done.breaker);
  // An earlier leader has stored it, if it was a scheduler that does.
  breaker_store_.read(done.breaker, leadership_.is_first(), server_time());
  if (seeded(SeededBug::ForgetsRecord)) return;
  breaker_.load(breaker_store_.record(), server_time(), now_.since_start);
}

void Reactor::breaker_not_kept(const Keeping& what, const Error& error) {
  if (what.leadership != leadership_.number()) return;
  if (what.reads && error.code == Code::NotFound) return breaker_kept(what, {});
  was_held_up_ = true;
  breaker_store_.failed(error, now_.since_start);
}

// A rate may allow more, or less, than was believed.
void Reactor::on(const ServerDated& seen) {
  server_clock_.saw(seen.date, now_.since_start);
  for (const auto& [ns, name] : snapshot_.own_budget_names()) {
    const policy::DisruptionBudget* budget = snapshot_.own_budget(ns, name);
    if (budget->rate_disruptions) budget_changed(ns, budget->selector, budget->selector);
  }
}

void Reactor::on(const LeaseSeen& seen) { leadership_.saw(seen.lease, now_.since_start); }

void Reactor::on(const LeaseUnseen& seen) { leadership_.cannot_see(seen.why); }

void Reactor::on(const StopAsked& /*seen*/) { leadership_.stop(now_.since_start); }

// Whether anything that changes a pod is under way.
bool Reactor::is_writing() const {
  return std::ranges::any_of(in_flight_, [](const auto& entry) {
    const auto* step = std::get_if<RemovalStep>(&entry.second);
    const auto* keeping = std::get_if<Keeping>(&entry.second);
    if (keeping != nullptr) return !keeping->reads;
    if (step == nullptr) return !std::holds_alternative<LeaseWrite>(entry.second);
    const auto* removed = std::get_if<DeleteVictim>(&step->step);
    if (removed != nullptr) return !removed->dry_run;
    return std::holds_alternative<MarkVictim>(step->step);
  });
}

// ---- what is seen ----

// What is listed is taken over, not copied: tens of thousands of pods.
void Reactor::on(NodesListed& seen) {
  std::set<std::string, std::less<>> there;
  for (policy::Node& node : seen.nodes) {
    there.insert(node.name);
    take_in(std::move(node));
  }
  for (const std::string& name : snapshot_.node_names()) {
    if (!there.contains(name)) on(NodeGone{name});
  }
  listed_.insert(Collection::Nodes);
  lost_.erase(Collection::Nodes);
}

void Reactor::on(NodeSeen& seen) { take_in(std::move(seen.node)); }

// Something changed on that node, or for whoever waits for any node ("").
void Reactor::wake(std::string_view node, cluster::Changes what) {
  if (what.intersects(kPlace)) ++relief_;
  queue_.wake(node, what, now_.since_start, doing_);
}

void Reactor::take_in(policy::Node node) {
  const std::string name = node.name;
  if (places()) room_.put(node);
  wake(name, snapshot_.put(std::move(node)));
}

void Reactor::on(const NodeGone& seen) {
  if (places()) room_.remove_node(seen.name);
  wake(seen.name, snapshot_.remove_node(seen.name));
}

void Reactor::on(PodsListed& seen) {
  const std::vector<std::string> gone = gone_since(seen);
  for (cluster::PackedPod& packed : seen.pods) take_in(std::move(packed));
  for (const std::string& key : gone) {
    assume_cache_.forget(key);
    if (!seeded(SeededBug::KeepsUnlistedPods)) take_in(snapshot_.remove_pod(key, ""));
  }
  const std::set<std::string, std::less<>> odd(seen.unreadable.begin(), seen.unreadable.end());
  for (const std::string& key : snapshot_.unreadable_keys()) {
    if (!odd.contains(key)) understood(key);
  }
  listed_.insert(Collection::Pods);
  lost_.erase(Collection::Pods);
}

std::vector<std::string> Reactor::gone_since(const PodsListed& list) const {
  if (snapshot_.pods() == 0) return {};
  std::unordered_set<std::string_view> there;
  there.reserve(list.pods.size() + list.unreadable.size());
  for (const cluster::PackedPod& packed : list.pods) there.insert(packed.key());
  // One that cannot be understood is there all the same: what was known of it stands.
  there.insert(list.unreadable.begin(), list.unreadable.end());
  std::vector<std::string> gone = snapshot_.pod_keys();
  std::erase_if(gone, [&](const std::string& key) { return there.contains(key); });
  return gone;
}

void Reactor::on(PodSeen& seen) { take_in(std::move(seen.pod)); }

void Reactor::take_in(cluster::PackedPod shown) {
  understood(shown.key());
  const std::string key(shown.key());
  const bool was_binding = assume_cache_.is_binding(key);
  const bool is_being_written = pending_writes_.is_under_way(key, shown.uid());
  believe(assume_cache_.applied(std::move(shown), is_being_written));
  if (!was_binding || assume_cache_.is_binding(key)) return;
  // It is where we have believed it to be.
  const auto pod = snapshot_.pod(key);
  if (!pod || !pod->node.empty()) drop_waiting(key);
}

// The pod as it is shown, with what was promised to it.
void Reactor::believe(cluster::PackedPod pod) {
  if (snapshot_.replaces_another(pod)) {
    const auto known = snapshot_.pod(pod.key());
    const auto waits = waiting_.find(pod.key());
    // One whose binding failed waited all the time.
    const bool waited =
        known && (known->node.empty() || (waits != waiting_.end() && waits->second.is_pending &&
                                          waits->second.uid == known->uid));
    const bool goes_on_waiting =
        places() && waited && known->uid == pod.uid() && pod.node().empty();
    if (!goes_on_waiting) take_in(snapshot_.remove_pod(pod.key(), ""));
  }
  take_in(snapshot_.put(std::move(pod)));
}

void Reactor::on(const PodGone& seen) {
  understood(seen.key);
  if (places()) {
    const auto known = snapshot_.pod(seen.key);
    if (known && (seen.uid.empty() || known->uid == seen.uid)) assume_cache_.forget(seen.key);
  }
  take_in(snapshot_.remove_pod(seen.key, seen.uid));
}

// Or gone.
void Reactor::understood(std::string_view key) {
  if (snapshot_.unreadable() == 0) return;
  const std::string node = snapshot_.forget_unreadable(key);
  if (!node.empty()) wake(node, cluster::Change::PodLeft);
}

void Reactor::take_in(const cluster::PodEvent& event) {
  const Pod* before = event.before ? &*event.before : nullptr;
  const Pod* after = event.after ? &*event.after : nullptr;
  if (places() && event.ended) follow_end(*event.ended, before != nullptr);
  if (before == nullptr && after == nullptr) return;
  const std::string key = policy::key_of(after != nullptr ? *after : *before);
  const bool same = before != nullptr && after != nullptr && before->uid == after->uid;
  if (before != nullptr && places()) take_out_of_room(*before);
  if (before != nullptr && !same) {
    clock_.gone(key);
    taken_back_.erase(before->uid);
  }
  if (after != nullptr) clock_.saw(*after, now_.since_start);
  refusals_.saw(before, after);
  // Whoever was assumed to leave is seen to, or is not there any more.
  if (const auto at = assumed_.find(key); at != assumed_.end()) {
    const bool leaves =
        after == nullptr || after->uid != at->second.uid || policy::is_terminating(*after);
    if (leaves) {
      assumed_due_.forget(key);
      assumed_.erase(at);
    }
  }
  if (places()) follow_room(event);
  follow_mark(before, after);
  if (const auto due = victim_events_.saw(before, after)) count_victim(*due);
  follow_loss(same ? before : nullptr, after);
  follow_deferral(before, after);
  follow_waiting(before, after);
  doubt_marks_on(event.node);
  const bool left = event.changes.intersects(cluster::Change::PodLeft);
  if (left && seeded(SeededBug::MissesPodLeft)) return;
  const std::string& ns = after != nullptr ? after->ns : before->ns;
  for (const std::string& name : event.own_budgets) {
    const policy::DisruptionBudget* budget = snapshot_.own_budget(ns, name);
    if (budget != nullptr && budget->hard) {
      budget_changed(ns, budget->selector, budget->selector);
    }
  }
  // What its node could never take counts from now on.
  const policy::Node* node = snapshot_.node(event.node);
  const bool counts = same && node != nullptr && policy::never_fits(*node, *before) &&
                      !policy::never_fits(*node, *after);
  wake(event.node, counts ? event.changes | cluster::Change::PodGrew : event.changes);
}

// A resize that was changed is not judged at once; until its node does, it says Deferred of the one
// before.
void Reactor::follow_deferral(const Pod* before, const Pod* after) {
  const auto is_deferred = [](const Pod& pod) {
    const policy::Condition* pending =
        policy::find_condition(pod.conditions, policy::kPodResizePending);
    return pending != nullptr && pending->reason == policy::kReasonDeferred &&
           pending->status == "True" && !policy::is_terminating(pod) && !policy::is_finished(pod);
  };
  const bool same = before != nullptr && after != nullptr && before->uid == after->uid;
  if (before != nullptr && !same) last_sets_.erase(before->uid);
  if (after != nullptr && !is_deferred(*after)) last_sets_.erase(after->uid);
  const std::string key = policy::key_of(after != nullptr ? *after : *before);
  const auto known = deferred_since_.find(key);
  const bool is_known = known != deferred_since_.end();
  if (after == nullptr || !is_deferred(*after)) {
    if (is_known) deferred_since_.erase(known);
  } else if (!is_known || known->second.uid != after->uid) {
    deferred_since_[key] = {.uid = after->uid, .since = now_.since_start};
  }
}

void Reactor::follow_mark(const Pod* before, const Pod* after) {
  const auto mark = pending_mark(after);
  const std::string key = policy::key_of(after != nullptr ? *after : *before);
  const auto known = marks_.find(key);
  const bool is_elsewhere = known != marks_.end() && (!mark || known->second.node != after->node);
  if (is_elsewhere) {
    const auto keys = marks_on_.find(known->second.node);
    keys->second.erase(key);
    if (keys->second.empty()) marks_on_.erase(keys);
    marks_due_.forget(key);
    marks_.erase(known);
  }
  if (!mark) return;
  marks_on_[after->node].insert(key);
  MarkSeen& seen = marks_[key];
  if (seen.mark == *mark && seen.uid == after->uid && seen.node == after->node) return;
  seen = {.mark = *mark, .uid = after->uid, .node = after->node};
}

// Whoever of us asked it to go, before or beside us: the circuit breaker counts it. A time on the
// server's wall is all that is known of what began before we looked.
void Reactor::follow_loss(const Pod* before, const Pod* after) {
  if (after == nullptr || !policy::is_terminating(*after)) return;
  if (before != nullptr && policy::is_terminating(*before)) return;
  const auto mark = policy::removal_mark(*after);
  const policy::Condition* target =
      policy::find_condition(after->conditions, policy::kDisruptionTarget);
  if (!mark || target->reason != policy::kReasonPreemptionByScheduler) return;
  Time age{0};
  if (before == nullptr) {
    const auto asked = *after->deletion - std::chrono::seconds(after->deletion_grace_seconds);
    age = std::max(Time(0), std::chrono::duration_cast<Time>(server_time() - asked));
  }
  breaker_.saw(mark->uid, after->node, after->uid, now_.since_start - age, now_.since_start);
}

void Reactor::follow_waiting(const Pod* before, const Pod* after) {
  const std::string key = policy::key_of(after != nullptr ? *after : *before);
  // One that is being bound waits until the watch shows it bound.
  const bool binds =
      places() && !assume_cache_.bound_to(key, (after ? after : before)->uid).empty();
  if (binds) return;
  const bool is_pending = after != nullptr && waits_for_node(*after) && is_ours(*after);
  const bool waits_now = waits(after) || is_pending;
  auto at = waiting_.find(key);
  const bool goes_on =
      waits_now && at != waiting_.end() && at->second.uid == after->uid &&
      (at->second.generation == after->generation || seeded(SeededBug::KeepsWaiting)) &&
      at->second.is_pending == is_pending && (is_pending || at->second.node == after->node);
  if (!goes_on) drop_waiting(key);
  if (!waits_now) return;
  if (!goes_on) {
    const auto deferred = deferred_since_.find(key);
    waiting_.emplace(
        key, Waiting{.uid = after->uid,
                     .generation = after->generation,
                     .is_pending = is_pending,
                     .node = is_pending ? after->nominated_node : after->node,
                     .priority = policy::priority_of(*after),
                     .since = now_.since_start,
                     .deferred_since = deferred == deferred_since_.end() ? now_.since_start
                                                                         : deferred->second.since});
    by_uid_[after->uid].insert(key);
  }
  Waiting& pod = waiting_.find(key)->second;
  pod.priority = policy::priority_of(*after);
  queue_.add(key, is_pending ? "" : pod.node, pod.priority, now_.since_start);
  const bool changed =
      before != nullptr && before->uid == after->uid &&
      (before->preemption_policy != after->preemption_policy ||
       (is_pending ? before->labels != after->labels : before->conditions != after->conditions));
  if (changed) queue_.wake_one(key, cluster::Change::Own, now_.since_start);
}

void Reactor::drop_waiting(std::string_view key) {
  const auto at = waiting_.find(key);
  if (at == waiting_.end()) return;
  doubt_marks_for(at->second);
  const auto keys = by_uid_.find(at->second.uid);
  keys->second.erase(at->first);
  if (keys->second.empty()) by_uid_.erase(keys);
  queue_.remove(key);
  removal_slots_.remove(key);
  waiting_.erase(at);
}

void Reactor::on(const BudgetsListed& seen) {
  std::set<std::pair<std::string, std::string>> there;
  std::set<std::string, std::less<>> changed;
  for (const policy::PodDisruptionBudget& budget : seen.budgets) {
    there.emplace(budget.ns, budget.name);
    if (take_in_budget(budget)) changed.insert(budget.ns);
  }
  refresh_budgets_of(changed);
  there.insert(seen.unreadable.begin(), seen.unreadable.end());
  for (const auto& [ns, name] : snapshot_.budget_names()) {
    if (!there.contains({ns, name})) on(BudgetGone{ns, name});
  }
  listed_.insert(Collection::Budgets);
  lost_.erase(Collection::Budgets);
}

void Reactor::on(const BudgetSeen& seen) {
  if (take_in_budget(seen.budget)) refresh_budgets_of({seen.budget.ns});
}

void Reactor::on(const BudgetGone& seen) {
  const auto before = snapshot_.remove_budget(seen.ns, seen.name);
  if (places()) room_.remove_pod_disruption_budget(seen.ns, seen.name);
  if (!before) return;
  budget_changed(seen.ns, before->selector, std::nullopt);
  refresh_budgets_of({seen.ns});
}

// Whether it is another one than before; then the budgets of its namespace are to be refreshed.
template <class Budget>
bool Reactor::take_in_budget(const Budget& budget) {
  const auto before = snapshot_.put(budget);
  if (before == budget) return false;
  budget_changed(budget.ns, before ? before->selector : std::nullopt, budget.selector);
  return true;
}

void Reactor::on(const OwnBudgetsListed& seen) {
  std::set<std::pair<std::string, std::string>> there(seen.unreadable.begin(),
                                                      seen.unreadable.end());
  std::set<std::string, std::less<>> changed;
  for (const policy::DisruptionBudget& budget : seen.budgets) {
    there.emplace(budget.ns, budget.name);
    if (take_in_budget(budget)) changed.insert(budget.ns);
  }
  refresh_budgets_of(changed);
  for (const auto& [ns, name] : snapshot_.own_budget_names()) {
    if (!there.contains({ns, name})) on(OwnBudgetGone{ns, name});
  }
  listed_.insert(Collection::OwnBudgets);
  lost_.erase(Collection::OwnBudgets);
}

void Reactor::on(const OwnBudgetSeen& seen) {
  if (take_in_budget(seen.budget)) refresh_budgets_of({seen.budget.ns});
}

void Reactor::on(const OwnBudgetGone& seen) {
  const auto before = snapshot_.remove_own_budget(seen.ns, seen.name);
  if (places()) room_.remove_disruption_budget(seen.ns, seen.name);
  if (!before) return;
  budget_changed(seen.ns, before->selector, std::nullopt);
  refresh_budgets_of({seen.ns});
}

// Once for all that a list changed: it costs a look at every budget of the namespace.
void Reactor::refresh_budgets_of(const std::set<std::string, std::less<>>& namespaces) {
  if (!places()) return;
  for (const std::string& ns : namespaces) refresh_budgets(ns);
}

// Whoever waits on a node where it covers, or covered, somebody.
void Reactor::budget_changed(const std::string& ns,
                             const std::optional<policy::LabelSelector>& before,
                             const std::optional<policy::LabelSelector>& after) {
  if (places()) wake("", cluster::Change::Budget);
  std::set<std::string> waiting;
  const auto look = [&](const std::string& node) {
    if (queue_.waits_for(node, cluster::Change::Budget)) waiting.insert(node);
  };
  snapshot_.each_covered(ns, before, look);
  if (after != before) snapshot_.each_covered(ns, after, look);
  for (const std::string& node : waiting) wake(node, cluster::Change::Budget);
}

void Reactor::on(const NamespacesListed& seen) {
  std::set<std::string, std::less<>> there;
  for (const policy::Namespace& each : seen.namespaces) {
    there.insert(each.name);
    on(NamespaceSeen{each});
  }
  const auto known = namespaces_;
  for (const std::string& name : known) {
    if (!there.contains(name)) on(NamespaceGone{name});
  }
  listed_.insert(Collection::Namespaces);
  lost_.erase(Collection::Namespaces);
}

void Reactor::on(const NamespaceSeen& seen) {
  namespaces_.insert(seen.seen.name);
  room_.put_namespace(seen.seen.name, seen.seen.labels);
  wake("", cluster::Change::Placing);
}

void Reactor::on(const NamespaceGone& seen) {
  namespaces_.erase(seen.name);
  room_.remove_namespace(seen.name);
  wake("", cluster::Change::Placing);
}

// Of a pod that was understood before, what was known stands; of any other one nothing is known. Of
// a budget it does not: it may allow less by now.
void Reactor::on(const Unreadable& seen) {
  ++counts_.unreadable;
  if (seen.kind.ends_with("DisruptionBudget")) return on_unreadable_budget(seen);
  if (seen.kind != "Pod") return;
  const auto known = snapshot_.pod(seen.key);
  const bool is_another =
      known && !seen.node.empty() && (known->uid != seen.uid || known->node != seen.node);
  if (is_another) {
    assume_cache_.forget(seen.key);
    take_in(snapshot_.remove_pod(seen.key, ""));
  }
  if (seen.node.empty()) return understood(seen.key);
  if (known && !is_another) return;
  const std::string was = snapshot_.put_unreadable(seen.key, seen.node, seen.why);
  if (was == seen.node) return;
  if (!was.empty()) wake(was, cluster::Change::PodLeft);
  wake(seen.node, cluster::Change::PodArrived);
}

void Reactor::on_unreadable_budget(const Unreadable& seen) {
  const std::size_t slash = std::min(seen.key.find('/'), seen.key.size());
  const std::string ns = seen.key.substr(0, slash);
  const std::string name = seen.key.substr(std::min(slash + 1, seen.key.size()));
  if (seen.kind == "DisruptionBudget") {
    on(OwnBudgetSeen{cluster::strictest_budget(ns, name)});
  } else {
    on(BudgetSeen{cluster::closed_budget(ns, name)});
  }
}

void Reactor::on(const Lost& seen) { lost_[seen.of] = seen.why; }

void Reactor::on(const Back& seen) { lost_.erase(seen.of); }

void Reactor::on(const PolicyFieldProbed& seen) {
  keeps_policy_field_ = seen.kept;
  for (const auto& [key, pod] : waiting_) {
    if (pod.result != TurnResult::Yields) continue;
    queue_.wake_one(key, cluster::Change::Own, now_.since_start);
  }
}

void Reactor::on(const TimePassed& /*seen*/) {}

// ---- what was done ----

void Reactor::on(const Done& done) {
  const auto at = in_flight_.find(done.effect);
  if (at == in_flight_.end()) return;
  const InFlight what = std::move(at->second);
  in_flight_.erase(at);
  if (std::holds_alternative<LeaseWrite>(what)) {
    leadership_.written(done.lease, now_.since_start);
  } else if (const auto* step = std::get_if<RemovalStep>(&what)) {
    if (done.pod) step_shown(*step, done.pod->unpacked());
    step_ended(*step, std::nullopt);
  } else if (const auto* binding = std::get_if<PodBinding>(&what)) {
    bound(*binding);
  } else if (const auto* write = std::get_if<PendingWrite>(&what)) {
    written(*write);
  } else if (const auto* keeping = std::get_if<Keeping>(&what)) {
    breaker_kept(*keeping, done);
  }
  // A cleared mark is gone once the watch shows it.
}

void Reactor::on(const Failed& failed) {
  const auto at = in_flight_.find(failed.effect);
  if (at == in_flight_.end()) return;
  const InFlight what = std::move(at->second);
  in_flight_.erase(at);
  if (std::holds_alternative<LeaseWrite>(what)) {
    return leadership_.failed(failed.error, now_.since_start);
  }
  if (now_.since_start >= fence()) ++counts_.fenced_writes;
  if (const auto* step = std::get_if<RemovalStep>(&what)) {
    step_ended(*step, failed.error);
  } else if (const auto* binding = std::get_if<PodBinding>(&what)) {
    not_bound(*binding, failed.error);
  } else if (const auto* write = std::get_if<PendingWrite>(&what)) {
    not_written(*write, failed.error);
  } else if (const auto* keeping = std::get_if<Keeping>(&what)) {
    breaker_not_kept(*keeping, failed.error);
  } else if (const auto mark = marks_.find(std::get<StaleMark>(what).key); mark != marks_.end()) {
    mark->second.clearing = false;
    const Time wish = std::min(failed.error.retry_after, Queue::kLongestServerDelay);
    const Time wait = std::max(Queue::kLongestBackoff, wish);
    mark->second.not_before =
        now_.since_start + control::with_jitter(wait, mark->first, mark->second.failures++);
    marks_due_.set(mark->first, mark->second.not_before);
  }
}

// ---- what follows ----

void Reactor::work() {
  queue_.advance(now_.since_start);
  breaker_.advance(now_.since_start);
  for (const std::string& key : assumed_due_.take_due(now_.since_start)) {
    const auto at = assumed_.find(key);
    if (at == assumed_.end()) continue;
    const auto pod = places() ? snapshot_.pod(key) : std::nullopt;
    if (pod) take_out_of_room(*pod);
    wake(at->second.node, cluster::Change::PodLeaving);
    doubt_marks_on(at->second.node);
    assumed_.erase(at);
    if (pod) put_in_room(*pod);
  }
  for (const std::string& ns : budgets_due_.take_due(now_.since_start)) {
    refresh_budgets(ns);
    wake("", cluster::Change::Budget);
  }
  avoided_nodes_.advance(now_.since_start);
  drive_all();
  if (!options_.dry_run) {
    for (const VictimEvent& event : victim_events_.take_inherited()) tell_victim(event);
  }
  if (options_.dry_run || breaker_store_.has_looked()) judge_next();
  clear_stale_marks();
}

void Reactor::find_next_wake() {
  next_wake_.reset();
  const auto consider = [this](const std::optional<Time>& at) {
    if (at && (!next_wake_ || *at < *next_wake_)) next_wake_ = at;
  };
  consider(leadership_.next(now_.since_start));
  if (leads() && !options_.dry_run) consider(breaker_store_.next());
  if (!may_act()) return;
  consider(queue_.next());
  consider(assumed_due_.next());
  consider(marks_due_.next());
  consider(budgets_due_.next());
  const bool has_looked = options_.dry_run || breaker_store_.has_looked();
  if (queue_.has_active() && has_looked) consider(judges_at());
}

// While marks are on their way nobody is chosen, but a server that does not answer them stops
// nobody else.
std::optional<Reactor::Time> Reactor::judges_at() const {
  if (bindings_now_ >= kBindingsAtOnce) return std::nullopt;
  std::size_t marking = 0;
  std::optional<Time> first;
  for (const auto& [node, removal] : removals_) {
    const Time late = removal.begun + kMarkedWithin;
    if (removal.set.stage() != SetRemoval::Stage::Marking || late <= now_.since_start) continue;
    ++marking;
    first = std::min(first.value_or(late), late);
  }
  return marking < kRemovalsAtOnce ? now_.since_start : first;
}

bool Reactor::may_judge() const { return judges_at() == now_.since_start; }

void Reactor::say(const Victim& regarding, EventReason reason, const policy::PodText& note) {
  const EventRow& row = row_of(reason);
  emit(EmitEvent{.regarding = regarding,
                 .warning = row.warning,
                 .reason = std::string(row.reason),
                 .action = std::string(row.action),
                 .note = note.on_pod(),
                 .in_log = note.full() == note.on_pod() ? "" : note.full(),
                 .log_only = options_.dry_run},
       fence());
}

}  // namespace elbowroom::scheduler
