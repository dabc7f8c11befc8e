#include "scheduler/cluster_state.h"

#include <algorithm>
#include <unordered_set>

#include "policy/model/charge.h"
#include "policy/model/condition.h"
#include "policy/model/rejected_pods.h"

namespace elbowroom::scheduler {
namespace {

using policy::Pod;

// A watch counts as stale after three minutes of silence at the latest; until then a pod whose
// delete was accepted counts as terminating although the watch does not show it so.
constexpr ClusterState::Time kAssumedBeyondGrace{240'000};

constexpr std::size_t kCollectionsOfVolumes = 6;

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
    case Collection::PodGroups:
      return "pod groups";
    case Collection::Claims:
      return "claims";
    case Collection::Volumes:
      return "volumes";
    case Collection::StorageClasses:
      return "storage classes";
    case Collection::CsiNodes:
      return "CSINodes";
    case Collection::CsiDrivers:
      return "CSIDrivers";
    case Collection::StorageCapacities:
      return "storage capacities";
    case Collection::Services:
      return "services";
    case Collection::ReplicationControllers:
      return "replication controllers";
    case Collection::ReplicaSets:
      return "replica sets";
    case Collection::StatefulSets:
      return "stateful sets";
    case Collection::PriorityClasses:
      return "priority classes";
  }
  return "";
}

// The pod as a victim whose delete was accepted just now, by the API server's clock.
Pod terminating(const Pod& pod, policy::Time server) {
  Pod victim = pod;
  victim.deletion = server + std::chrono::seconds(pod.termination_grace_seconds);
  return victim;
}

}  // namespace

policy::Reliefs brought_by(const NodeChange& change) {
  using cluster::Change;
  using policy::Relief;
  constexpr cluster::Changes kFreesRoom = Change::PodLeft | Change::PodShrank | Change::PodLeaving |
                                          Change::Allocatable | Change::Ready;
  constexpr cluster::Changes kIsCompany =
      Change::PodArrived | Change::PodLeft | Change::PodLeaving | Change::PodChanged;
  policy::Reliefs brought;
  if (change.what.intersects(kFreesRoom)) brought |= Relief::Room;
  if (change.is_new_node || change.what.intersects(Change::Placing)) brought |= Relief::Node;
  if (change.what.intersects(kIsCompany)) brought |= Relief::Company;
  // Without a node it is the labels of a namespace that changed.
  if (change.node.empty() && change.what.intersects(Change::Placing)) brought |= Relief::Company;
  if (change.what.intersects(Change::Budget) && !change.forbids_nothing) brought |= Relief::Budget;
  return brought;
}

// ---- which collections are followed ----

void ClusterState::listed(Collection of) {
  if (of == Collection::PriorityClasses) return;  // until then groups that depend on one wait
  (is_of_volumes(of) ? listed_of_volumes_ : listed_).insert(of);
  back(of);
}

void ClusterState::lost(Collection of, std::string why) {
  // What only scores nodes may be a while behind, and a class does not change what it says.
  if (of >= Collection::Services) return;
  (is_of_volumes(of) ? lost_of_volumes_ : lost_)[of] = std::move(why);
}

void ClusterState::back(Collection of) { (is_of_volumes(of) ? lost_of_volumes_ : lost_).erase(of); }

std::string ClusterState::volumes_obstacle() const {
  if (!lost_of_volumes_.empty()) {
    const auto& [of, why] = *lost_of_volumes_.begin();
    return std::string(name_of(of)) + " are not followed: " + why;
  }
  if (listed_of_volumes_.size() == kCollectionsOfVolumes) return "";
  return "claims and volumes are not all listed yet";
}

bool ClusterState::is_synced() const {
  return listed_.size() == kCollections + (places_ ? kPlacingCollections : 0U);
}

std::string ClusterState::lost() const {
  if (lost_.empty()) return "";
  return std::string(name_of(lost_.begin()->first)) + " are not followed: " + lost_.begin()->second;
}

// ---- what the watches show ----

NodeChange ClusterState::put(policy::Node node) {
  const std::string name = node.name;
  const bool is_new = snapshot_.node(name) == nullptr;
  if (places_) room_.put(node);
  return changed(name, snapshot_.put(std::move(node)), is_new);
}

NodeChange ClusterState::remove_node(std::string_view name) {
  if (places_) room_.remove_node(name);
  return changed(name, snapshot_.remove_node(name));
}

NodeChange ClusterState::changed(std::string_view node, cluster::Changes what, bool is_new) {
  if (what.intersects(cluster::Change::Placing | cluster::Change::Allocatable)) ++node_changes_;
  return {std::string(node), what, is_new};
}

std::optional<NodeChange> ClusterState::apply(const cluster::PodEvent& event,
                                              const Clocks& clocks) {
  const Pod* before = event.before ? &*event.before : nullptr;
  const Pod* after = event.after ? &*event.after : nullptr;
  if (places_ && event.ended) note_end(*event.ended, before != nullptr, clocks);
  if (before == nullptr && after == nullptr) {
    if (!event.own_budgets.empty()) refresh_budgets(event.ns, clocks);
    return std::nullopt;
  }
  const std::string key = policy::key_of(after != nullptr ? *after : *before);
  if (before != nullptr && places_) take_out_of_room(*before, clocks);
  const bool same = before != nullptr && after != nullptr && before->uid == after->uid;
  if (before != nullptr && !same) deadlines_.gone(key);
  if (after != nullptr) deadlines_.saw(*after, clocks.since_start());
  refusals_.saw(before, after);
  // What was assumed of it is seen, or it does not exist any more.
  if (const auto at = assumed_.find(key); at != assumed_.end()) {
    const bool is_seen =
        after == nullptr || after->uid != at->second.uid || policy::is_terminating(*after);
    if (is_seen) {
      assumed_due_.forget(key);
      assumed_.erase(at);
    }
  }
  if (!places_) return std::nullopt;
  if (after != nullptr) put_in_room(*after, clocks);
  // A debit counts as long as its pod is there.
  const bool ends_debit = after == nullptr && snapshot_.is_debited(key);
  if (!event.own_budgets.empty() || ends_debit) {
    refresh_budgets(event.ns, clocks);
  }
  if (before == nullptr || !before->node.empty() || before->nominated_node.empty()) {
    return std::nullopt;
  }
  const std::string& nominated = before->nominated_node;
  const bool stands =
      after != nullptr && (after->node.empty() ? after->nominated_node : after->node) == nominated;
  if (stands) return std::nullopt;
  return NodeChange{nominated, cluster::Change::Nominated | cluster::Change::PodLeft};
}

// A pod that is seen for the first time failed when it says so, by the API server's clock.
void ClusterState::note_end(const Pod& ended, bool was_seen, const Clocks& clocks) {
  const auto said = was_seen ? std::nullopt : AvoidedNodes::turned_out_at(ended);
  const Time age = said ? std::chrono::floor<Time>(clocks.server - *said) : Time(0);
  const Time now = clocks.since_start();
  avoided_nodes_.note(ended, now - std::max(age, Time(0)), now);
}

std::vector<NodeChange> ClusterState::put_unreadable(const Unreadable& pod) {
  const std::string was = snapshot_.put_unreadable(pod.key, pod.node, pod.why);
  std::vector<NodeChange> changes;
  if (was == pod.node) return changes;
  if (!was.empty()) changes.push_back({was, cluster::Change::PodLeft});
  changes.push_back({pod.node, cluster::Change::PodArrived});
  return changes;
}

std::optional<NodeChange> ClusterState::forget_unreadable(std::string_view key) {
  if (snapshot_.unreadable() == 0) return std::nullopt;
  std::string node = snapshot_.forget_unreadable(key);
  if (node.empty()) return std::nullopt;
  return NodeChange{std::move(node), cluster::Change::PodLeft};
}

std::vector<std::string> ClusterState::gone_since(const PodsListed& list) const {
  if (snapshot_.pods() == 0) return {};
  std::unordered_set<std::string_view> there;
  there.reserve(list.objects.size() + list.unreadable.size());
  for (const cluster::PackedPod& packed : list.objects) there.insert(packed.key());
  // An unreadable pod exists all the same: its last known state is kept.
  there.insert(list.unreadable.begin(), list.unreadable.end());
  std::vector<std::string> gone = snapshot_.seen_keys();
  std::erase_if(gone, [&](const std::string& key) { return there.contains(key); });
  return gone;
}

// ---- pod groups ----

// The room counts the pods of a group together: all leave it before any comes back.
template <class Change>
ClusterState::GroupChange ClusterState::change_group(std::string_view key, const Clocks& clocks,
                                                     Change change) {
  GroupChange made;
  const std::vector<Pod> before = snapshot_.members_of(key);
  if (places_) {
    for (const Pod& pod : before) take_out_of_room(pod, clocks);
  }
  change();
  std::vector<Pod> after = snapshot_.members_of(key);
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (places_) put_in_room(after[i], clocks);
    made.pods.emplace_back(before[i], std::move(after[i]));
  }
  return made;
}

// Of a class that is not known it is not known whether it forbids preemption.
void ClusterState::stand_by_class(policy::PodGroup& group) const {
  if (group.has_policy) return;
  const std::optional<bool> never = priority_classes_.never_preempts(group.priority_class);
  group.standing.preemption_policy = never.value_or(!group.priority_class.empty())
                                         ? policy::PreemptionPolicy::Never
                                         : policy::PreemptionPolicy::PreemptLowerPriority;
}

std::vector<ClusterState::GroupChange> ClusterState::classes_changed(const Clocks& clocks) {
  std::vector<GroupChange> changes;
  for (const std::string& key : snapshot_.groups().keys()) {
    const policy::PodGroup* known = snapshot_.groups().find(key);
    GroupChange change = put(*known, clocks);
    if (!change.says_the_same) changes.push_back(std::move(change));
  }
  return changes;
}

ClusterState::GroupChange ClusterState::put(policy::PodGroup group, const Clocks& clocks) {
  stand_by_class(group);
  const std::string key = policy::key_of(group);
  const policy::PodGroup* known = snapshot_.groups().find(key);
  if (known != nullptr && known->standing == group.standing) {
    snapshot_.put(std::move(group));
    return {.says_the_same = true};
  }
  return change_group(key, clocks, [&] { snapshot_.put(std::move(group)); });
}

ClusterState::GroupChange ClusterState::remove_group(std::string_view key, std::string_view uid,
                                                     const Clocks& clocks) {
  const policy::PodGroup* known = snapshot_.groups().find(key);
  if (known == nullptr || (!uid.empty() && known->standing.uid != uid)) {
    return {.says_the_same = true};
  }
  return change_group(key, clocks, [&] { snapshot_.remove_group(key, uid); });
}

// ---- budgets and namespaces ----

std::optional<policy::PodDisruptionBudget> ClusterState::remove(const BudgetGone& gone) {
  const auto [ns, name] = control::name_parts(gone.key);
  auto before = snapshot_.remove_budget(ns, name);
  if (places_) room_.remove_pod_disruption_budget(ns, name);
  return before;
}

std::optional<policy::DisruptionBudget> ClusterState::remove(const OwnBudgetGone& gone) {
  const auto [ns, name] = control::name_parts(gone.key);
  auto before = snapshot_.remove_own_budget(ns, name);
  if (places_) room_.remove_disruption_budget(ns, name);
  return before;
}

void ClusterState::refresh_budgets(const std::string& ns, const Clocks& clocks) {
  if (!places_) return;
  const policy::Budgets budgets = snapshot_.budgets_of(ns, clocks.server);
  for (const policy::PodDisruptionBudget& each : budgets.upstream) room_.put(each);
  for (std::size_t i = 0; i < budgets.ours.size(); ++i) {
    room_.put(budgets.ours[i], budgets.strengths[i], clocks.server);
  }
  if (const auto due = allowed_at(budgets, clocks)) {
    budgets_due_.set(ns, *due);
  } else {
    budgets_due_.forget(ns);
  }
}

void ClusterState::refresh_budget(std::string_view ns, std::string_view name) {
  if (!places_) return;
  if (const auto budget = snapshot_.budget(ns, name)) room_.put(*budget);
}

std::optional<ClusterState::Time> ClusterState::allowed_at(const policy::Budgets& budgets,
                                                           const Clocks& clocks) {
  const auto allowed = policy::next_allowed_time(budgets, clocks.server);
  if (!allowed) return std::nullopt;
  const Time wait = std::chrono::ceil<Time>(*allowed - clocks.server);
  return clocks.since_start() + std::max(wait, Time(1000));
}

void ClusterState::put_all(policy::SelectingKind kind,
                           const std::vector<policy::Selecting>& objects) {
  policy::SelectingIndex& index = room_.selecting();
  std::set<std::string> there;
  for (const policy::Selecting& each : objects) {
    there.insert(each.ns + "/" + each.name);
    index.put(each);
  }
  for (const std::string& key : index.keys_of(kind)) {
    if (there.contains(key)) continue;
    const auto [ns, name] = control::name_parts(key);
    index.remove(kind, ns, name);
  }
}

void ClusterState::put(const policy::Namespace& seen) {
  namespaces_.insert(seen.name);
  room_.put_namespace(seen.name, seen.labels);
}

void ClusterState::remove_namespace(const std::string& name) {
  namespaces_.erase(name);
  room_.remove_namespace(name);
}

// ---- victims ----

void ClusterState::assume_terminating(const Pod& pod, const Clocks& clocks) {
  const std::string key = policy::key_of(pod);
  if (places_) take_out_of_room(pod, clocks);
  assumed_[key] = {.uid = pod.uid, .node = pod.node};
  assumed_due_.set(key, clocks.since_start() + kAssumedBeyondGrace +
                            std::chrono::seconds(pod.termination_grace_seconds));
  if (places_) put_in_room(pod, clocks);
}

bool ClusterState::is_assumed(std::string_view key, std::string_view uid) const {
  const auto at = assumed_.find(key);
  return at != assumed_.end() && at->second.uid == uid;
}

std::vector<std::string> ClusterState::drop_overdue_victims(const Clocks& clocks) {
  std::vector<std::string> nodes;
  for (const std::string& key : assumed_due_.take_due(clocks.since_start())) {
    const auto at = assumed_.find(key);
    if (at == assumed_.end()) continue;
    const auto pod = places_ ? snapshot_.pod(key) : std::nullopt;
    if (pod) take_out_of_room(*pod, clocks);
    nodes.push_back(at->second.node);
    assumed_.erase(at);
    if (pod) put_in_room(*pod, clocks);
  }
  return nodes;
}

// ---- what is asked ----

void ClusterState::put_in_room(const Pod& pod, const Clocks& clocks) {
  if (pod.deletion || !is_assumed(policy::key_of(pod), pod.uid)) return room_.add(pod);
  room_.add(terminating(pod, clocks.server));
}

void ClusterState::take_out_of_room(const Pod& pod, const Clocks& clocks) {
  if (pod.deletion || !is_assumed(policy::key_of(pod), pod.uid)) return room_.remove(pod);
  room_.remove(terminating(pod, clocks.server));
}

std::optional<cluster::NodeView> ClusterState::view_of(const std::string& node,
                                                       const Clocks& clocks) const {
  auto view = snapshot_.view(node, clocks.server);
  if (!view) return view;
  const auto never_fits = [&](const Pod& pod) {
    return policy::never_fits(view->node, pod).has_value();
  };
  if (std::ranges::any_of(view->pods, never_fits)) std::erase_if(view->pods.own(), never_fits);
  if (assumed_.empty()) return view;
  const auto counts_as_leaving = [&](const Pod& pod) {
    return !pod.deletion && is_assumed(policy::key_of(pod), pod.uid);
  };
  const auto let_leave = [&](std::vector<Pod>& pods) {
    for (Pod& pod : pods) {
      if (!counts_as_leaving(pod)) continue;
      pod.deletion = clocks.now.wall + std::chrono::seconds(pod.termination_grace_seconds);
      pod.deletion_grace_seconds = pod.termination_grace_seconds;
    }
  };
  if (std::ranges::any_of(view->pods, counts_as_leaving)) let_leave(view->pods.own());
  let_leave(view->elsewhere);
  return view;
}

}  // namespace elbowroom::scheduler
