#include "cli/top/live_cluster.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "api/codec/encode_explanation.h"
#include "api/codec/json.h"
#include "base/document_text.h"
#include "cli/explain_alone.h"
#include "cli/output/explanation_text.h"
#include "cli/unread_nodes.h"
#include "cluster/unreadable_object.h"
#include "control/listed.h"
#include "policy/ledger/strictest_budget.h"
#include "policy/preemption/node_groups.h"
#include "policy/resize/explanation.h"
#include "scheduler/collections.h"

namespace elbowroom::cli::top {
namespace {

using policy::Pod;

// Rates of budgets, overdue pods, removals of the last hour.
constexpr std::chrono::seconds kTimesAgain{5};

constexpr std::array kFollowed = {Collection::Nodes, Collection::Pods, Collection::Budgets,
                                  Collection::OwnBudgets, Collection::PodGroups};

Value list_of(const std::vector<std::string>& texts) {
  std::vector<Value> values;
  for (const std::string& each : texts) values.push_back(text_value(each));
  return list_value(std::move(values));
}

// Keys of all that the list shows, understood or not.
template <class T, class Key>
std::set<std::string> keys_of(const control::Listed<T>& list, Key key_of) {
  std::set<std::string> keys(list.unreadable.begin(), list.unreadable.end());
  for (const T& each : list.objects) keys.emplace(key_of(each));
  return keys;
}

// A kubelet writes the status of its Node every five minutes, whatever has changed.
bool says_the_same(const policy::Node* before, const policy::Node& after) {
  if (before == nullptr) return false;
  policy::Node same = *before;
  same.resource_version = after.resource_version;
  same.images = after.images;
  return same == after;
}

std::string key_of_budget(const auto& budget) { return budget.ns + "/" + budget.name; }

}  // namespace

void LiveCluster::take(Seen seen) {
  std::visit([this](auto& each) { on(each); }, seen);
}

// ---- nodes ----

void LiveCluster::on(scheduler::NodesListed& seen) {
  const auto there = keys_of(seen, [](const policy::Node& node) { return node.name; });
  for (policy::Node& each : seen.objects) {
    mark(each.name);
    static_cast<void>(snapshot_.put(std::move(each)));
  }
  for (const std::string& name : snapshot_.node_names()) {
    if (there.contains(name)) continue;
    mark(name);
    static_cast<void>(snapshot_.remove_node(name));
  }
  listed(Collection::Nodes);
}

void LiveCluster::on(scheduler::NodeSeen& seen) {
  if (!says_the_same(snapshot_.node(seen.object.name), seen.object)) mark(seen.object.name);
  static_cast<void>(snapshot_.put(std::move(seen.object)));
}

void LiveCluster::on(const scheduler::NodeGone& seen) {
  mark(seen.key);
  static_cast<void>(snapshot_.remove_node(seen.key));
}

// ---- pods ----

void LiveCluster::on(scheduler::PodsListed& seen) {
  const auto there =
      keys_of(seen, [](const cluster::PackedPod& pod) { return std::string(pod.key()); });
  for (cluster::PackedPod& each : seen.objects) put(std::move(each));
  for (const std::string& key : snapshot_.seen_keys()) {
    if (!there.contains(key)) remove_pod(key, "");
  }
  const std::set<std::string, std::less<>> odd(seen.unreadable.begin(), seen.unreadable.end());
  for (const std::string& key : snapshot_.unreadable_keys()) {
    if (!odd.contains(key)) mark(snapshot_.forget_unreadable(key));
  }
  listed(Collection::Pods);
}

void LiveCluster::on(scheduler::PodSeen& seen) { put(std::move(seen.object)); }

void LiveCluster::on(const scheduler::PodGone& seen) {
  mark(snapshot_.forget_unreadable(seen.key));
  remove_pod(seen.key, seen.uid);
}

void LiveCluster::put(cluster::PackedPod pod) {
  mark(snapshot_.forget_unreadable(pod.key()));
  if (snapshot_.replaces_another(pod)) remove_pod(std::string(pod.key()), "");
  follow(snapshot_.put(std::move(pod)));
}

void LiveCluster::remove_pod(std::string_view key, std::string_view uid) {
  follow(snapshot_.remove_pod(key, uid));
}

void LiveCluster::follow(const cluster::PodEvent& event) {
  mark(event.node);
  for (const std::optional<Pod>* each : {&event.before, &event.after, &event.ended}) {
    if (*each && budgets_.contains((*each)->ns)) changed_budgets_.insert((*each)->ns);
  }
  if (budgets_.contains(event.ns)) changed_budgets_.insert(event.ns);
}

// A pod that cannot be read; its last known state counts.
void LiveCluster::on(const scheduler::Unreadable& seen) {
  const auto [ns, name] = control::name_parts(seen.key);
  if (seen.kind == "DisruptionBudget") {
    return on(scheduler::OwnBudgetSeen{policy::strictest_budget(ns, name)});
  }
  if (seen.kind == "PodDisruptionBudget") {
    return on(scheduler::BudgetSeen{cluster::closed_budget(ns, name)});
  }
  if (seen.kind != "Pod") return;
  const auto known = snapshot_.pod(seen.key);
  const bool is_another =
      known && !seen.node.empty() && (known->uid != seen.uid || known->node != seen.node);
  if (is_another) remove_pod(seen.key, "");
  if (seen.node.empty()) return mark(snapshot_.forget_unreadable(seen.key));
  if (known && !is_another) return;
  mark(snapshot_.put_unreadable(seen.key, seen.node, seen.why));
  mark(seen.node);
}

// ---- budgets ----

void LiveCluster::budgets_changed(std::string_view ns) {
  budgets_.try_emplace(std::string(ns));
  changed_budgets_.emplace(ns);
  // Which pods go for a resize depends on them.
  for (const auto& [name, part] : nodes_) {
    if (!part.waiting.empty()) mark(name);
  }
}

// Of either kind. `remove`: from the snapshot.
template <class Listed, class Remove>
void LiveCluster::take_budgets(const Listed& seen, const BudgetNames& known, Remove remove) {
  const auto there = keys_of(seen, [](const auto& budget) { return key_of_budget(budget); });
  for (const auto& each : seen.objects) {
    static_cast<void>(snapshot_.put(each));
    budgets_changed(each.ns);
  }
  for (const auto& [ns, name] : known) {
    if (there.contains(ns + "/" + name)) continue;
    remove(ns, name);
    budgets_changed(ns);
  }
}

void LiveCluster::on(const scheduler::BudgetsListed& seen) {
  take_budgets(seen, snapshot_.budget_names(), [this](const auto& ns, const auto& name) {
    static_cast<void>(snapshot_.remove_budget(ns, name));
  });
  listed(Collection::Budgets);
}

void LiveCluster::on(const scheduler::BudgetSeen& seen) {
  static_cast<void>(snapshot_.put(seen.object));
  budgets_changed(seen.object.ns);
}

void LiveCluster::on(const scheduler::BudgetGone& seen) {
  const auto [ns, name] = control::name_parts(seen.key);
  static_cast<void>(snapshot_.remove_budget(ns, name));
  budgets_changed(ns);
}

void LiveCluster::on(const scheduler::OwnBudgetsListed& seen) {
  take_budgets(seen, snapshot_.own_budget_names(), [this](const auto& ns, const auto& name) {
    static_cast<void>(snapshot_.remove_own_budget(ns, name));
  });
  listed(Collection::OwnBudgets);
}

void LiveCluster::on(const scheduler::OwnBudgetSeen& seen) {
  static_cast<void>(snapshot_.put(seen.object));
  budgets_changed(seen.object.ns);
}

void LiveCluster::on(const scheduler::OwnBudgetGone& seen) {
  const auto [ns, name] = control::name_parts(seen.key);
  static_cast<void>(snapshot_.remove_own_budget(ns, name));
  budgets_changed(ns);
}

// ---- pod groups ----

void LiveCluster::put_group(policy::PodGroup group) {
  const std::string key = policy::key_of(group);
  static_cast<void>(snapshot_.put(std::move(group)));
  for (const Pod& each : snapshot_.members_of(key)) mark(each.node);
}

void LiveCluster::on(scheduler::PodGroupsListed& seen) {
  std::set<std::string, std::less<>> there(seen.unreadable.begin(), seen.unreadable.end());
  for (policy::PodGroup& each : seen.objects) {
    there.insert(policy::key_of(each));
    put_group(std::move(each));
  }
  for (const std::string& key : snapshot_.groups().keys()) {
    if (!there.contains(key)) on(scheduler::PodGroupGone{.key = key, .uid = ""});
  }
  listed(Collection::PodGroups);
}

void LiveCluster::on(scheduler::PodGroupSeen& seen) { put_group(std::move(seen.object)); }

void LiveCluster::on(const scheduler::PodGroupGone& seen) {
  static_cast<void>(snapshot_.remove_group(seen.key, seen.uid));
  for (const Pod& each : snapshot_.members_of(seen.key)) mark(each.node);
}

// ---- which collections are followed ----

void LiveCluster::listed(Collection of) {
  listed_.insert(of);
  lost_.erase(of);
}
void LiveCluster::on(const Lost& seen) {
  lost_[seen.of] = seen.why;
  if (seen.of != Collection::Nodes || !reads_no_nodes()) return;
  for (const std::string& key : snapshot_.pod_keys()) mark(snapshot_.pod(key)->node);
}
void LiveCluster::on(const Back& seen) { lost_.erase(seen.of); }

bool LiveCluster::is_complete() const {
  const bool is_read = std::ranges::all_of(
      kFollowed, [this](Collection of) { return listed_.contains(of) || lost_.contains(of); });
  return is_read && changed_nodes_.empty() && changed_budgets_.empty();
}

bool LiveCluster::sees_nothing() const {
  return std::ranges::all_of(std::array{Collection::Nodes, Collection::Pods}, [this](auto of) {
    return lost_.contains(of) && !listed_.contains(of);
  });
}

bool LiveCluster::reads_no_nodes() const {
  return lost_.contains(Collection::Nodes) && !listed_.contains(Collection::Nodes);
}

std::vector<std::string> LiveCluster::notes() const {
  std::vector<std::string> notes;
  for (const auto& [of, why] : lost_) {
    const std::string words(scheduler::row_of(of).words);
    notes.push_back(words + (listed_.contains(of) ? " are as last seen: " : " are not seen: ") +
                    why);
  }
  for (const auto& [node, why] : snapshot_.unclear_nodes()) {
    notes.push_back("node " + node + " is unclear: " + why);
  }
  return notes;
}

std::vector<std::string> LiveCluster::lacks() const {
  std::vector<std::string> lacks;
  for (const auto& [of, why] : lost_) {
    if (of == Collection::Nodes || listed_.contains(of)) continue;
    lacks.push_back(std::string(scheduler::row_of(of).words) + ", which cannot be read");
  }
  return lacks;
}

// ---- the overview ----

void LiveCluster::mark(std::string_view node) {
  if (!node.empty()) changed_nodes_.emplace(node);
}

void LiveCluster::mark_what_time_changes(policy::Time now) {
  if (now - looked_at_times_ < kTimesAgain) return;
  looked_at_times_ = now;
  for (const auto& [name, part] : nodes_) {
    if (!part.waiting.empty() || !part.leaving.empty()) mark(name);
  }
  for (const auto& [ns, part] : budgets_) {
    const bool has_times = std::ranges::any_of(
        part.budgets, [](const policy::BudgetOverview& each) { return each.next.has_value(); });
    if (has_times || !part.removals.empty()) changed_budgets_.insert(ns);
  }
}

template <class LookAt>
void LiveCluster::look_at(Names& names, std::string& next, const std::function<bool()>& goes_on,
                          LookAt look_at) {
  while (!names.empty()) {
    auto at = names.lower_bound(next);
    if (at == names.end()) at = names.begin();
    const std::string name = *at;
    names.erase(at);
    next = name + '\0';
    look_at(name);
    if (!goes_on()) return;
  }
}

bool LiveCluster::look(policy::Time now, const std::function<bool()>& goes_on) {
  mark_what_time_changes(now);
  const bool is_news = !changed_nodes_.empty() || !changed_budgets_.empty();
  look_at(changed_nodes_, next_node_, goes_on,
          [&](const std::string& name) { look_at_node(name, now); });
  look_at(changed_budgets_, next_budgets_, goes_on,
          [&](const std::string& ns) { look_at_budgets(ns, now); });
  return is_news;
}

policy::Unremovable LiveCluster::unremovable_for(const cluster::NodeView& view,
                                                 policy::Time now) const {
  policy::Unremovable all;
  std::set<std::string> names;
  for (const Pod& each : view.elsewhere) names.insert(each.node);
  for (const std::string& name : names) {
    const policy::Node* node = snapshot_.node(name);
    if (node == nullptr) continue;
    const std::vector<Pod> pods = snapshot_.pods_of(name);
    policy::note_stuck(*node, pods, policy::overdue_pods_at(pods, now), all);
  }
  return all;
}

void LiveCluster::look_at_node(const std::string& name, policy::Time now) {
  auto view = snapshot_.view(name, now);
  if (!view) {
    nodes_.erase(name);
    const std::vector<Pod> alone = reads_no_nodes() ? snapshot_.pods_of(name) : std::vector<Pod>{};
    if (!alone.empty()) nodes_[name] = overview_of_unread_node(name, alone, {}, now);
    return;
  }
  const std::vector<Pod>& pods = view->pods.own();
  const policy::OverduePods lapsed = policy::overdue_pods_at(pods, now);
  const policy::Unremovable unremovable = unremovable_for(*view, now);
  const std::vector<std::string> unknown = lacks();
  nodes_[name] = policy::overview_of_node({.node = view->node,
                                           .pods = pods,
                                           .nominated = view->nominated,
                                           .budgets = view->budgets,
                                           .lapsed = lapsed,
                                           .now = now,
                                           .elsewhere = view->elsewhere,
                                           .unremovable = &unremovable,
                                           .lacks = unknown});
}

void LiveCluster::look_at_budgets(const std::string& ns, policy::Time now) {
  policy::Budgets budgets = snapshot_.budgets_of(ns, now);
  if (budgets.upstream.empty() && budgets.ours.empty()) {
    budgets_.erase(ns);
    return;
  }
  for (const std::string& node : snapshot_.nodes_of(ns)) {
    std::ranges::copy_if(snapshot_.pods_of(node), std::back_inserter(budgets.cluster_pods),
                         [&ns](const Pod& pod) { return pod.ns == ns; });
  }
  budgets_[ns] = {.budgets = policy::overview_of_budgets(budgets, now),
                  .removals = policy::recent_removals(budgets, now)};
}

policy::Overview LiveCluster::overview(policy::Time now) const {
  policy::Overview all{.now = now};
  all.nodes.reserve(nodes_.size());
  for (const auto& [name, part] : nodes_) {
    if (snapshot_.node(name) != nullptr) all.nodes.push_back(part.node);
    std::ranges::copy(part.waiting, std::back_inserter(all.waiting));
    std::ranges::copy(part.leaving, std::back_inserter(all.leaving));
  }
  for (const auto& [ns, part] : budgets_) {
    std::ranges::copy(part.budgets, std::back_inserter(all.budgets));
    std::ranges::copy(part.removals, std::back_inserter(all.removals));
  }
  std::ranges::sort(all.budgets, policy::natural_less, &policy::BudgetOverview::budget);
  std::ranges::stable_sort(all.removals, std::ranges::greater(), &policy::RecentRemoval::time);
  if (all.removals.size() > policy::kMostRecentRemovals) {
    all.removals.resize(policy::kMostRecentRemovals);
  }
  return all;
}

Result<std::string> LiveCluster::explain(std::string_view key, policy::Time now) const {
  const auto known = snapshot_.pod(key);
  auto view = known ? snapshot_.view(known->node, now) : std::nullopt;
  if (known && !known->node.empty() && !view && reads_no_nodes()) {
    return explanation_text(explain_alone(*known, now));
  }
  if (!view || known->node.empty()) {
    return failure(Code::NotFound, "no pod " + std::string(key) + " is on a node (any more)");
  }
  const std::vector<Pod>& pods = view->pods.own();
  const auto pod = std::ranges::find(pods, known->uid, &Pod::uid);
  if (pod == pods.end()) return failure(Code::NotFound, "pod " + std::string(key) + " is gone");
  const policy::OverduePods lapsed = policy::overdue_pods_at(pods, now);
  const policy::Unremovable unremovable = unremovable_for(*view, now);
  const std::vector<std::string> unknown = lacks();
  const policy::ResizeQuestion question{.node = view->node,
                                        .pods = pods,
                                        .pod = *pod,
                                        .nominated = view->nominated,
                                        .budgets = view->budgets,
                                        .lapsed = lapsed,
                                        .now = now,
                                        .elsewhere = view->elsewhere,
                                        .unremovable = &unremovable,
                                        .lacks = unknown};
  Value document =
      api::encode_explanation(policy::explain(question, policy::report_resize(question)));
  std::vector<std::string> notes;
  if (!view->contradiction.empty()) notes.push_back(view->contradiction);
  api::set_member(document, "events", list_value({}));
  api::set_member(document, "notes", list_of(notes));
  return explanation_text(document);
}

}  // namespace elbowroom::cli::top
