#include "scheduler/cluster_follower.h"

#include <algorithm>
#include <utility>

#include "cluster/unreadable_object.h"
#include "policy/ledger/strictest_budget.h"
#include "policy/model/charge.h"
#include "policy/model/condition.h"
#include "policy/model/rejected_pods.h"
#include "policy/model/removal_mark.h"

namespace elbowroom::scheduler {
namespace {

using policy::Pod;

bool is_same(const Pod* before, const Pod* after) {
  return before != nullptr && after != nullptr && before->uid == after->uid;
}

// What a budget says besides the pods that are entered in it.
bool asks_the_same(const policy::PodDisruptionBudget& before,
                   const policy::PodDisruptionBudget& after) {
  return before == after;
}
// Its status is for people and for programs that cannot count: nothing here depends on it.
bool asks_the_same(const policy::DisruptionBudget& before, policy::DisruptionBudget after) {
  after.recent = before.recent;
  after.version = before.version;
  after.generation = before.generation;
  after.status = before.status;
  return before == after;
}

// A budget that is not hard is a preference.
bool may_forbid(const policy::PodDisruptionBudget& /*budget*/) { return false; }
bool may_forbid(const policy::DisruptionBudget& budget) { return budget.hard; }

std::set<std::string> entered_in(const cluster::Snapshot& /*snapshot*/,
                                 const policy::PodDisruptionBudget& /*budget*/) {
  return {};
}
std::set<std::string> entered_in(const cluster::Snapshot& snapshot,
                                 const policy::DisruptionBudget& budget) {
  return snapshot.entered_in(budget.ns, budget.name);
}

}  // namespace

// ---- nodes ----

void ClusterFollower::on(NodesListed& seen) {
  Names there;
  for (policy::Node& node : seen.objects) {
    there.insert(node.name);
    take_in(std::move(node));
  }
  for (const std::string& name : state_.cluster.snapshot().node_names()) {
    if (!there.contains(name)) on(NodeGone{name, ""});
  }
  state_.cluster.listed(Collection::Nodes);
}

void ClusterFollower::on(NodeSeen& seen) { take_in(std::move(seen.object)); }

void ClusterFollower::take_in(policy::Node node) {
  const bool is_new = state_.cluster.snapshot().node(node.name) == nullptr;
  if (is_new) state_.breaker.know_node(node.name, node.uid);
  state_.wake(state_.cluster.put(std::move(node)));
}

void ClusterFollower::on(const NodeGone& seen) {
  state_.wake(state_.cluster.remove_node(seen.key));
}

// ---- pods ----

void ClusterFollower::on(PodsListed& seen) {
  const std::vector<std::string> gone = state_.cluster.gone_since(seen);
  for (cluster::PackedPod& packed : seen.objects) take_in(std::move(packed));
  for (const std::string& key : gone) {
    state_.cluster.assume_cache().forget(key);
    take_in(state_.cluster.remove_pod(key, ""), {});
  }
  const Names odd(seen.unreadable.begin(), seen.unreadable.end());
  for (const std::string& key : state_.cluster.snapshot().unreadable_keys()) {
    if (!odd.contains(key)) understood(key);
  }
  state_.cluster.listed(Collection::Pods);
}

void ClusterFollower::on(PodSeen& seen) { take_in(std::move(seen.object)); }

void ClusterFollower::on(const PodGone& seen) {
  understood(seen.key);
  if (state_.cluster.places()) {
    const auto known = state_.cluster.snapshot().pod(seen.key);
    if (known && (seen.uid.empty() || known->uid == seen.uid)) {
      state_.cluster.assume_cache().forget(seen.key);
    }
  }
  take_in(state_.cluster.remove_pod(seen.key, seen.uid), {});
}

void ClusterFollower::take_in(cluster::PackedPod shown) {
  AssumeCache& assumed = state_.cluster.assume_cache();
  understood(shown.key());
  const std::string key(shown.key());
  const bool was_binding = assumed.is_binding(key);
  const bool is_being_written = state_.cluster.pending_writes().is_under_way(key, shown.uid());
  believe(assumed.applied(std::move(shown), is_being_written));
  if (!was_binding || assumed.is_binding(key)) return;
  // The watch shows it on the node where it was assumed.
  const auto pod = state_.cluster.snapshot().pod(key);
  if (!pod || !pod->node.empty()) drop_waiting(key);
}

void ClusterFollower::believe(cluster::PackedPod pod, std::string_view but) {
  const cluster::Snapshot& snapshot = state_.cluster.snapshot();
  if (snapshot.replaces_another(pod)) {
    const auto known = snapshot.pod(pod.key());
    const Waiting* waits = state_.waiting.find(pod.key());
    // A pod whose binding failed waited all the time.
    const bool waited = known && (known->node.empty() || (waits != nullptr && waits->is_pending &&
                                                          waits->uid == known->uid));
    const bool goes_on_waiting =
        state_.cluster.places() && waited && known->uid == pod.uid() && pod.node().empty();
    if (!goes_on_waiting) take_in(state_.cluster.remove_pod(pod.key(), ""), but);
  }
  take_in(state_.cluster.put(std::move(pod)), but);
}

// The pod is readable, or gone.
void ClusterFollower::understood(std::string_view key) {
  if (const auto change = state_.cluster.forget_unreadable(key)) state_.wake(*change);
}

void ClusterFollower::take_in(const cluster::PodEvent& event, std::string_view but) {
  const Pod* before = event.before ? &*event.before : nullptr;
  const Pod* after = event.after ? &*event.after : nullptr;
  const auto nomination_ended = state_.cluster.apply(event, state_.clocks());
  if (before == nullptr && after == nullptr) return wake_for_budgets(event, but);
  if (nomination_ended) state_.wake(*nomination_ended, but, before, after);
  state_.marks.saw(before, after);
  if (const auto due = state_.victim_events.saw(before, after)) turns_.count_victim(*due);
  follow_loss(is_same(before, after) ? before : nullptr, after);
  follow_disruption(before, after);
  state_.waiting.follow_deferral(before, after, state_.time());
  follow_waiting(before, after);
  state_.marks.doubt_on(event.node);
  wake_for(event, but);
}

void ClusterFollower::wake_for_budgets(const cluster::PodEvent& event, std::string_view but) {
  for (const std::string& name : event.own_budgets) {
    const policy::DisruptionBudget* budget = state_.cluster.snapshot().own_budget(event.ns, name);
    if (budget == nullptr || !budget->hard) continue;
    budget_changed(event.ns, budget->selector, budget->selector, true, but);
  }
}

void ClusterFollower::wake_for(const cluster::PodEvent& event, std::string_view but) {
  const Pod* before = event.before ? &*event.before : nullptr;
  const Pod* after = event.after ? &*event.after : nullptr;
  wake_for_budgets(event, but);
  // What its node could never admit counts from now on.
  const policy::Node* node = state_.cluster.snapshot().node(event.node);
  const bool counts = is_same(before, after) && node != nullptr &&
                      policy::never_fits(*node, *before) && !policy::never_fits(*node, *after);
  state_.wake({event.node, counts ? event.changes | cluster::Change::PodGrew : event.changes}, but,
              before, after);
}

// A removal by one of our replicas, before us or beside us: the circuit breaker counts it. Of a
// removal that began before this process saw the pod, only the time by the server's clock is known.
void ClusterFollower::follow_loss(const Pod* before, const Pod* after) {
  if (after == nullptr || !policy::is_terminating(*after)) return;
  if (before != nullptr && policy::is_terminating(*before)) return;
  const auto mark = policy::removal_mark(*after);
  const policy::Condition* target =
      policy::find_condition(after->conditions, policy::kDisruptionTarget);
  if (!mark || target->reason != policy::kReasonPreemptionByScheduler) return;
  using Time = ReactorState::Time;
  Time age{0};
  if (before == nullptr) {
    const auto asked = *after->deletion - std::chrono::seconds(after->deletion_grace_seconds);
    age = std::max(Time(0), std::chrono::duration_cast<Time>(state_.server_time() - asked));
  }
  state_.breaker.saw(mark->uid, state_.counted_node(after->node), counted_uid(*after),
                     state_.time() - age, state_.time());
}

// The condition DisruptionTarget of a group ends when its Pods run again.
void ClusterFollower::follow_disruption(const Pod* before, const Pod* after) {
  if (after == nullptr || !policy::is_grouped(*after) || after->phase != policy::Phase::Running) {
    return;
  }
  if (is_same(before, after) && before->phase == after->phase) return;
  const std::string key = policy::group_key_of(*after);
  const policy::PodGroup* group = state_.cluster.snapshot().groups().find(key);
  if (group == nullptr || !policy::has_true(group->conditions, policy::kDisruptionTarget)) return;
  state_.group_statuses.look_by(key, state_.time() + GroupStatuses::kTogether);
}

void ClusterFollower::follow_waiting(const Pod* before, const Pod* after) {
  // A pod that is being bound waits until the watch shows it bound.
  const Pod& pod = after != nullptr ? *after : *before;
  const bool binds = state_.cluster.places() &&
                     !state_.cluster.assume_cache().bound_to(policy::key_of(pod), pod.uid).empty();
  if (binds) {
    // It may wait for its volumes for long.
    const bool goes = after != nullptr && policy::is_terminating(*after);
    const std::string key = policy::key_of(pod);
    if (goes && state_.volume_bindings.is_waiting(key, pod.uid)) {
      state_.waiting.queue().wake_one(key, cluster::Change::Own, state_.time());
    }
    return;
  }
  const bool is_to_place = after != nullptr && waits_for_node(*after) && is_ours(*after);
  const auto dropped = state_.waiting.follow(before, after, is_to_place, state_.time());
  if (dropped) {
    state_.doubt_marks_for(*dropped);
    state_.end_volumes_of(policy::key_of(pod));
  }
  // Another scheduler's pod keeps a gang from being placed, and counts for it once it has a node.
  const bool is_news = !is_same(before, after) || before->node != after->node ||
                       policy::is_terminating(*before) != policy::is_terminating(*after);
  if (policy::is_grouped(pod) && !is_ours(pod) && is_news) {
    state_.waiting.member_changed(policy::group_key_of(pod), state_.time());
  }
}

void ClusterFollower::drop_waiting(std::string_view key) {
  if (const auto dropped = state_.waiting.drop(key)) state_.doubt_marks_for(*dropped);
  state_.end_volumes_of(key);
}

// ---- pod groups ----

void ClusterFollower::on(PodGroupsListed& seen) {
  Names there(seen.unreadable.begin(), seen.unreadable.end());
  for (policy::PodGroup& group : seen.objects) {
    there.insert(policy::key_of(group));
    take_in(std::move(group));
  }
  for (const std::string& key : state_.cluster.snapshot().groups().keys()) {
    if (!there.contains(key)) group_gone(key, "");
  }
  state_.cluster.listed(Collection::PodGroups);
}

void ClusterFollower::on(PodGroupSeen& seen) { take_in(std::move(seen.object)); }

void ClusterFollower::on(const PodGroupGone& seen) { group_gone(seen.key, seen.uid); }

void ClusterFollower::take_in(policy::PodGroup group) {
  follow_group(state_.cluster.put(std::move(group), state_.clocks()));
}

void ClusterFollower::group_gone(std::string_view key, std::string_view uid) {
  const policy::PodGroup* known = state_.cluster.snapshot().groups().find(key);
  if (known != nullptr && (uid.empty() || known->standing.uid == uid)) {
    state_.group_statuses.forget(known->standing.uid);
  }
  follow_group(state_.cluster.remove_group(key, uid, state_.clocks()));
}

void ClusterFollower::follow_group(const ClusterState::GroupChange& change) {
  for (const auto& [before, after] : change.pods) {
    state_.marks.saw(&before, &after);
    follow_waiting(&before, &after);
    state_.marks.doubt_on(after.node);
    // Others may be placed in its room now: as when a budget allows more.
    state_.wake({after.node.empty() ? after.nominated_node : after.node,
                 cluster::Change::PodChanged | cluster::Change::Budget});
  }
}

void ClusterFollower::on(const PriorityClassesListed& seen) {
  state_.cluster.priority_classes().put_all(seen.objects, seen.unreadable);
  classes_changed();
}

void ClusterFollower::on(const PriorityClassSeen& seen) {
  state_.cluster.priority_classes().put(seen.object);
  classes_changed();
}

void ClusterFollower::on(const PriorityClassGone& seen) {
  state_.cluster.priority_classes().remove(seen.key);
  classes_changed();
}

void ClusterFollower::classes_changed() {
  for (const auto& change : state_.cluster.classes_changed(state_.clocks())) follow_group(change);
}

// ---- budgets ----

void ClusterFollower::on(const BudgetsListed& seen) {
  take_in_budgets(seen, state_.cluster.snapshot().budget_names());
  state_.cluster.listed(Collection::Budgets);
}

void ClusterFollower::on(const BudgetSeen& seen) {
  if (take_in_budget(seen.object)) state_.cluster.refresh_budget(seen.object.ns, seen.object.name);
}

void ClusterFollower::on(const BudgetGone& seen) { budget_gone(state_.cluster.remove(seen)); }

void ClusterFollower::on(const OwnBudgetsListed& seen) {
  take_in_budgets(seen, state_.cluster.snapshot().own_budget_names());
  state_.cluster.listed(Collection::OwnBudgets);
}

void ClusterFollower::on(const OwnBudgetSeen& seen) {
  if (take_in_budget(seen.object)) refresh_budgets_of({seen.object.ns});
}

void ClusterFollower::on(const OwnBudgetGone& seen) { budget_gone(state_.cluster.remove(seen)); }

// `known`: the budgets of that kind until now.
template <class Budget>
void ClusterFollower::take_in_budgets(const control::Listed<Budget>& seen,
                                      const BudgetNames& known) {
  Names there(seen.unreadable.begin(), seen.unreadable.end());
  Names changed;
  for (const Budget& budget : seen.objects) {
    there.insert(budget.ns + "/" + budget.name);
    if (take_in_budget(budget)) changed.insert(budget.ns);
  }
  refresh_budgets_of(changed);
  for (const auto& [ns, name] : known) {
    const std::string key = ns + "/" + name;
    if (!there.contains(key)) on(control::Gone<Budget>{key, ""});
  }
}

// True if it differs from what was known; then the budgets of its namespace are to be refreshed.
template <class Budget>
bool ClusterFollower::take_in_budget(const Budget& budget) {
  const auto entered = entered_in(state_.cluster.snapshot(), budget);
  const auto before = state_.cluster.put_budget(budget);
  const bool enters_the_same = entered == entered_in(state_.cluster.snapshot(), budget);
  if (before && enters_the_same && asks_the_same(*before, budget)) return false;
  budget_changed(budget.ns, before ? before->selector : std::nullopt, budget.selector,
                 may_forbid(budget) || (before && may_forbid(*before)));
  return true;
}

template <class Budget>
void ClusterFollower::budget_gone(const std::optional<Budget>& before) {
  if (!before) return;
  budget_changed(before->ns, before->selector, std::nullopt, may_forbid(*before));
  refresh_budgets_of({before->ns});
}

// Once for all that a list changed.
void ClusterFollower::refresh_budgets_of(const Names& namespaces) {
  for (const std::string& ns : namespaces) state_.cluster.refresh_budgets(ns, state_.clocks());
}

// Wakes the pods that wait on a node where it covers, or covered, others.
void ClusterFollower::budget_changed(const std::string& ns, const Selector& before,
                                     const Selector& after, bool may_forbid, std::string_view but) {
  if (state_.cluster.places()) {
    state_.wake({.what = cluster::Change::Budget, .forbids_nothing = !may_forbid}, but);
  }
  const cluster::Snapshot& snapshot = state_.cluster.snapshot();
  const Queue& queue = state_.waiting.queue();
  Names concerned;
  const auto look = [&](const std::string& node) {
    if (queue.waits_for(node, cluster::Change::Budget)) concerned.insert(node);
  };
  const auto look_at_covered = [&](const Selector& selector) {
    if (queue.nodes() >= snapshot.label_sets(ns)) return snapshot.each_covered(ns, selector, look);
    queue.each_node([&](const std::string& node) {
      const bool waits = queue.waits_for(node, cluster::Change::Budget);
      if (waits && snapshot.holds_covered(node, ns, selector)) concerned.insert(node);
    });
  };
  look_at_covered(before);
  if (after != before) look_at_covered(after);
  for (const std::string& node : concerned) {
    state_.wake({.node = node, .what = cluster::Change::Budget, .forbids_nothing = !may_forbid},
                but);
  }
}

// A rate may allow more, or less, than before.
void ClusterFollower::rates_changed() {
  const cluster::Snapshot& snapshot = state_.cluster.snapshot();
  for (const auto& [ns, name] : snapshot.own_budget_names()) {
    const policy::DisruptionBudget* budget = snapshot.own_budget(ns, name);
    if (!budget->rate_disruptions) continue;
    budget_changed(ns, budget->selector, budget->selector, budget->hard);
  }
}

// ---- namespaces ----

void ClusterFollower::on(const NamespacesListed& seen) {
  Names there;
  for (const policy::Namespace& each : seen.objects) {
    there.insert(each.name);
    on(NamespaceSeen{each});
  }
  const Names known = state_.cluster.namespaces();
  for (const std::string& name : known) {
    if (!there.contains(name)) on(NamespaceGone{name, ""});
  }
  state_.cluster.listed(Collection::Namespaces);
}

void ClusterFollower::on(const NamespaceSeen& seen) {
  state_.cluster.put(seen.object);
  state_.wake({"", cluster::Change::Placing});
}

void ClusterFollower::on(const NamespaceGone& seen) {
  state_.cluster.remove_namespace(seen.key);
  state_.wake({"", cluster::Change::Placing});
}

// ---- objects that cannot be read ----

// The last known state of a pod is kept; nothing is known of another pod of that name. The last
// known state of a budget is not kept: it may allow less by now.
void ClusterFollower::on(const Unreadable& seen) {
  ++state_.counts.unreadable;
  if (seen.kind.ends_with("DisruptionBudget")) return on_unreadable_budget(seen);
  if (seen.kind == "PriorityClass") {
    state_.cluster.priority_classes().put_unreadable(seen.key);
    return classes_changed();
  }
  if (seen.kind != "Pod") return;
  const auto known = state_.cluster.snapshot().pod(seen.key);
  const bool is_another =
      known && !seen.node.empty() && (known->uid != seen.uid || known->node != seen.node);
  if (is_another) {
    state_.cluster.assume_cache().forget(seen.key);
    take_in(state_.cluster.remove_pod(seen.key, ""), {});
  }
  if (seen.node.empty()) return understood(seen.key);
  if (known && !is_another) return;
  for (const NodeChange& change : state_.cluster.put_unreadable(seen)) state_.wake(change);
}

void ClusterFollower::on_unreadable_budget(const Unreadable& seen) {
  const auto [ns, name] = control::name_parts(seen.key);
  if (seen.kind == "DisruptionBudget") {
    on(OwnBudgetSeen{policy::strictest_budget(ns, name)});
  } else {
    on(BudgetSeen{cluster::closed_budget(ns, name)});
  }
}

}  // namespace elbowroom::scheduler
