#include "rescheduler/cluster_state.h"

#include <algorithm>
#include <utility>

#include "cluster/unreadable_object.h"
#include "policy/ledger/budget_keeping.h"
#include "policy/model/condition.h"

namespace elbowroom::rescheduler {
namespace {

std::string key_of(const policy::DisruptionBudget& budget) { return budget.ns + "/" + budget.name; }

bool is_marked(const policy::Pod& pod) {
  return policy::has_true(pod.conditions, policy::kDisruptionTarget);
}

// What a ledger looks at, beside the counts of the budget.
bool leaves_as_before(const std::optional<policy::Pod>& before,
                      const std::optional<policy::Pod>& after) {
  if (!before || !after) return !before || !policy::goes_disrupted(*before);
  return is_marked(*before) == is_marked(*after) &&
         policy::is_terminating(*before) == policy::is_terminating(*after);
}

}  // namespace

bool ClusterState::is_synced() const {
  for (std::size_t at = 0; at < kKeptCollections; ++at) {
    if (!listed_.contains(Collection(at))) return false;
  }
  return true;
}

std::string ClusterState::lost() const {
  if (lost_.empty()) return "";
  const auto& [of, why] = *lost_.begin();
  if (static_cast<std::size_t>(of) >= kKeptCollections) return "";
  return std::string(row_of(of).words) + " are not followed: " + why;
}

std::string ClusterState::unseen() const {
  for (std::size_t at = 0; at < kCollectionTable.size(); ++at) {
    const auto of = Collection(at);
    const std::string words(row_of(of).words);
    if (const auto why = lost_.find(of); why != lost_.end()) {
      return words + ": not followed: " + why->second;
    }
    if (!listed_.contains(of)) return words + ": not listed yet";
  }
  return "";
}

policy::AvoidedByName ClusterState::left_alone() const {
  policy::AvoidedByName nodes;
  for (const auto& [node, why] : snapshot_.unclear_nodes()) {
    nodes.emplace(node, cluster::kUnclearNode);
  }
  return nodes;
}

// ---- nodes ----

ClusterState::Keys ClusterState::take(NodesListed& seen) {
  Keys there;
  for (policy::Node& node : seen.objects) {
    there.insert(node.name);
    moves_.put(node);
    snapshot_.put(std::move(node));
  }
  for (const std::string& name : snapshot_.node_names()) {
    if (there.contains(name)) continue;
    moves_.remove_node(name);
    snapshot_.remove_node(name);
  }
  listed(Collection::Nodes);
  return {};
}

ClusterState::Keys ClusterState::take(NodeSeen& seen) {
  moves_.put(seen.object);
  snapshot_.put(std::move(seen.object));
  return {};
}

ClusterState::Keys ClusterState::take(const NodeGone& seen) {
  moves_.remove_node(seen.key);
  snapshot_.remove_node(seen.key);
  return {};
}

// ---- pods ----

ClusterState::Keys ClusterState::take(PodsListed& seen) {
  Keys there(seen.unreadable.begin(), seen.unreadable.end());
  for (const cluster::PackedPod& pod : seen.objects) there.emplace(pod.key());
  Keys changed;
  for (const std::string& key : snapshot_.seen_keys()) {
    if (!there.contains(key)) changed.merge(follow(key, snapshot_.remove_pod(key, "")));
  }
  for (const std::string& key : moves_.pending_keys()) {
    if (!there.contains(key)) moves_.gone(key);
  }
  // One that can be read by now is forgotten as it is put.
  for (const std::string& key : snapshot_.unreadable_keys()) {
    if (!there.contains(key)) snapshot_.forget_unreadable(key);
  }
  for (cluster::PackedPod& pod : seen.objects) changed.merge(put(std::move(pod)));
  listed(Collection::Pods);
  return changed;
}

ClusterState::Keys ClusterState::take(PodSeen& seen) { return put(std::move(seen.object)); }

ClusterState::Keys ClusterState::take(const PodGone& seen) {
  moves_.gone(seen.key);
  snapshot_.forget_unreadable(seen.key);
  return follow(seen.key, snapshot_.remove_pod(seen.key, seen.uid));
}

ClusterState::Keys ClusterState::put(cluster::PackedPod pod) {
  const std::string key(pod.key());
  moves_.saw(pod);
  snapshot_.forget_unreadable(key);
  Keys changed;
  if (snapshot_.replaces_another(pod)) changed = follow(key, snapshot_.remove_pod(key, ""));
  changed.merge(follow(key, snapshot_.put(std::move(pod))));
  return changed;
}

ClusterState::Keys ClusterState::follow(std::string_view key, const cluster::PodEvent& event) {
  moves_.apply(event);
  const auto [ns, name] = control::name_parts(key);
  const bool is_leaving = event.after && policy::goes_disrupted(*event.after);
  if (is_leaving) {
    leaving_[ns].emplace(key);
  } else if (const auto at = leaving_.find(ns); at != leaving_.end()) {
    if (const auto pod = at->second.find(key); pod != at->second.end()) at->second.erase(pod);
    if (at->second.empty()) leaving_.erase(at);
  }
  Keys changed;
  for (const std::string& budget : event.own_budgets) changed.insert(ns + "/" + budget);
  if (event.after && !leaves_as_before(event.before, event.after)) {
    for (const policy::DisruptionBudget* each : snapshot_.own_budgets_over(*event.after)) {
      changed.insert(key_of(*each));
    }
  }
  return changed;
}

// ---- budgets ----

ClusterState::Keys ClusterState::take(const BudgetsListed& seen) {
  Keys there;
  Keys changed;
  for (const policy::DisruptionBudget& budget : seen.objects) {
    there.insert(key_of(budget));
    changed.merge(take(BudgetSeen{budget}));
  }
  const Keys odd(seen.unreadable.begin(), seen.unreadable.end());
  for (const auto& [ns, name] : snapshot_.own_budget_names()) {
    if (there.contains(ns + "/" + name)) continue;
    drop(ns, name);
    changed.insert(ns + "/" + name);
  }
  std::erase_if(odd_budgets_, [&](const auto& each) {
    if (odd.contains(each.first)) return false;
    changed.insert(each.first);
    return true;
  });
  listed(Collection::Budgets);
  return changed;
}

ClusterState::Keys ClusterState::take(const BudgetSeen& seen) {
  const std::string key = key_of(seen.object);
  odd_budgets_.erase(key);
  const auto before = snapshot_.put(seen.object);
  if (!before) ++known_;
  if (before && *before == seen.object) return {};
  return {key};
}

ClusterState::Keys ClusterState::take(const BudgetGone& seen) {
  const auto [ns, name] = control::name_parts(seen.key);
  odd_budgets_.erase(seen.key);
  drop(ns, name);
  return {seen.key};
}

ClusterState::Keys ClusterState::take(const Unreadable& seen) {
  if (seen.kind == row_of(Collection::Pods).kind) {
    snapshot_.put_unreadable(seen.key, seen.node, seen.why);
    return {};
  }
  if (seen.kind == row_of(Collection::PodBudgets).kind) {
    const auto [ns, name] = control::name_parts(seen.key);
    snapshot_.put(cluster::closed_budget(ns, name));
    return {};
  }
  if (seen.kind != row_of(Collection::Budgets).kind) return {};
  const auto [ns, name] = control::name_parts(seen.key);
  drop(ns, name);
  odd_budgets_[seen.key] = seen.why;
  return {seen.key};
}

void ClusterState::drop(std::string_view ns, std::string_view name) {
  if (snapshot_.remove_own_budget(ns, name)) --known_;
}

// ---- what only moves take ----

ClusterState::Keys ClusterState::take(const PodBudgetsListed& seen) {
  Keys there(seen.unreadable.begin(), seen.unreadable.end());
  for (const policy::PodDisruptionBudget& budget : seen.objects) {
    there.insert(budget.ns + "/" + budget.name);
    snapshot_.put(budget);
  }
  for (const auto& [ns, name] : snapshot_.budget_names()) {
    if (!there.contains(ns + "/" + name)) snapshot_.remove_budget(ns, name);
  }
  listed(Collection::PodBudgets);
  return {};
}

ClusterState::Keys ClusterState::take(const PodBudgetSeen& seen) {
  snapshot_.put(seen.object);
  return {};
}

ClusterState::Keys ClusterState::take(const PodBudgetGone& seen) {
  const auto [ns, name] = control::name_parts(seen.key);
  snapshot_.remove_budget(ns, name);
  return {};
}

ClusterState::Keys ClusterState::take(const NamespacesListed& seen) {
  Keys there;
  for (const policy::Namespace& each : seen.objects) {
    there.insert(each.name);
    namespaces_.insert(each.name);
    moves_.put(each);
  }
  std::erase_if(namespaces_, [&](const std::string& name) {
    if (there.contains(name)) return false;
    moves_.remove_namespace(name);
    return true;
  });
  listed(Collection::Namespaces);
  return {};
}

ClusterState::Keys ClusterState::take(const NamespaceSeen& seen) {
  namespaces_.insert(seen.object.name);
  moves_.put(seen.object);
  return {};
}

ClusterState::Keys ClusterState::take(const NamespaceGone& seen) {
  namespaces_.erase(seen.key);
  moves_.remove_namespace(seen.key);
  return {};
}

// ---- what is asked ----

const policy::DisruptionBudget* ClusterState::budget(std::string_view key) const {
  const auto [ns, name] = control::name_parts(key);
  return snapshot_.own_budget(ns, name);
}

ClusterState::Keys ClusterState::budgets() const {
  Keys all;
  for (const auto& [ns, name] : snapshot_.own_budget_names()) all.insert(ns + "/" + name);
  return all;
}

std::vector<policy::Pod> ClusterState::pods_for(const policy::DisruptionBudget& budget) const {
  std::vector<policy::Pod> pods = snapshot_.named_by(budget.recent, budget.ns);
  const auto leaving = leaving_.find(budget.ns);
  if (leaving == leaving_.end()) return pods;
  for (const std::string& key : leaving->second) {
    auto pod = snapshot_.pod(key);
    const bool is_there =
        !pod || std::ranges::find(pods, pod->uid, &policy::Pod::uid) != pods.end();
    if (!is_there) pods.push_back(*std::move(pod));
  }
  return pods;
}

}  // namespace elbowroom::rescheduler
