#include "cluster/snapshot.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "policy/selector.h"

namespace elbowroom::cluster {
namespace {

using policy::Pod;
using policy::PodDisruptionBudget;

// Of a message about a pod that cannot be understood.
constexpr std::size_t kLongestReason = 300;

std::string_view namespace_of(std::string_view key) { return key.substr(0, key.find('/')); }

bool covers_pod(const PodDisruptionBudget& budget, const Pod& pod) {
  return budget.ns == pod.ns && budget.selector && policy::matches(*budget.selector, pod.labels);
}

bool is_bound(const Pod& pod) { return !pod.node.empty(); }

bool is_nominated(const Pod& pod) { return !is_bound(pod) && !pod.nominated_node.empty(); }

// Two pods of one uid: whoever is asked to go, it could be the other one.
std::string contradiction_in(const std::vector<Pod>& pods) {
  std::map<std::string_view, const Pod*> by_uid;
  for (const Pod& pod : pods) {
    const auto [at, is_new] = by_uid.emplace(pod.uid, &pod);
    if (is_new) continue;
    return "pods " + policy::key_of(*at->second) + " and " + policy::key_of(pod) +
           " have the same uid " + pod.uid;
  }
  return "";
}

// What one of them holds may be all that the others would have to make up for.
std::string what_is_unreadable(const std::map<std::string, std::string, std::less<>>& pods) {
  const auto& [key, why] = *pods.begin();
  std::string words = "pod " + key;
  if (pods.size() > 1) words += " (and " + std::to_string(pods.size() - 1) + " more)";
  return words + " cannot be understood, and so what it holds is not known: " + why;
}

}  // namespace

// ---- pods ----

bool Snapshot::is_kept(const Pod& pod) const {
  if (policy::is_finished(pod)) return false;
  return is_bound(pod) || is_nominated(pod) || places_for_.contains(pod.scheduler_name);
}

PodEvent Snapshot::put(PackedPod packed) {
  const auto known = places_.find(packed.key());
  if (known != places_.end() && known->second.pod->second == packed) return {};
  Pod pod = packed.unpacked();
  PodEvent event;
  if (known != places_.end()) event.before = known->second.pod->second.unpacked();
  const std::string& place = is_bound(pod) ? pod.node : pod.nominated_node;
  event.node = !place.empty() || !event.before ? place
               : is_bound(*event.before)       ? event.before->node
                                               : event.before->nominated_node;
  const bool bound = is_bound(pod);
  const bool stays = known != places_.end() && is_kept(pod) && known->second.nominated == !bound &&
                     known->second.node->first == place;
  if (stays) {
    known->second.pod->second = std::move(packed);
  } else {
    if (known != places_.end()) take_out(known);
    if (is_kept(pod)) put_in(std::move(packed), pod);
  }
  if (is_kept(pod)) event.after = std::move(pod);
  const bool was_bound = event.before && is_bound(*event.before);
  event.changes = changes_of(was_bound ? &*event.before : nullptr,
                             event.after && bound ? &*event.after : nullptr);
  const bool concerns =
      (event.before && is_nominated(*event.before)) || (event.after && is_nominated(*event.after));
  if (concerns && event.before != event.after) event.changes |= Change::Nominated;
  return event;
}

void Snapshot::put_in(PackedPod packed, const Pod& pod) {
  const bool bound = is_bound(pod);
  const auto node = nodes_.try_emplace(bound ? pod.node : pod.nominated_node).first;
  std::string key(packed.key());
  Packed& pods = bound ? node->second.pods : node->second.nominated;
  const auto at = pods.emplace(key, std::move(packed)).first;
  places_.insert_or_assign(std::move(key), Place{.node = node, .pod = at, .nominated = !bound});
}

bool Snapshot::replaces_another(const PackedPod& packed) const {
  const auto known = places_.find(packed.key());
  if (known == places_.end()) return false;
  if (known->second.pod->second.uid() != packed.uid()) return true;
  const std::string& place = known->second.node->first;
  return packed.node().empty() ? packed.unpacked().nominated_node != place : packed.node() != place;
}

PodEvent Snapshot::remove_pod(std::string_view key, std::string_view uid) {
  const auto known = places_.find(key);
  if (known == places_.end()) return {};
  PodEvent event{.before = known->second.pod->second.unpacked()};
  if (!uid.empty() && event.before->uid != uid) return {};
  take_out(known);
  const bool was_bound = is_bound(*event.before);
  event.node = was_bound ? event.before->node : event.before->nominated_node;
  if (was_bound) {
    event.changes = changes_of(&*event.before, nullptr);
  } else if (is_nominated(*event.before)) {
    event.changes = Change::Nominated;
  }
  return event;
}

void Snapshot::take_out(Places::iterator place) {
  const auto node = place->second.node;
  (place->second.nominated ? node->second.nominated : node->second.pods).erase(place->second.pod);
  places_.erase(place);
  drop_if_empty(node);
}

const PackedPod* Snapshot::find(std::string_view key) const {
  const auto place = places_.find(key);
  return place == places_.end() ? nullptr : &place->second.pod->second;
}

std::optional<Pod> Snapshot::pod(std::string_view key) const {
  const PackedPod* packed = find(key);
  return packed == nullptr ? std::nullopt : std::optional(packed->unpacked());
}

std::vector<std::string> Snapshot::pod_keys() const {
  std::vector<std::string> keys;
  keys.reserve(places_.size());
  for (const auto& [key, place] : places_) keys.push_back(key);
  std::ranges::sort(keys);  // or what is gone would be told in another order on another machine
  return keys;
}

// ---- pods that cannot be understood ----

std::string Snapshot::put_unreadable(const std::string& key, const std::string& node,
                                     std::string_view why) {
  std::string was = forget_unreadable(key);
  const auto entry = nodes_.try_emplace(node).first;
  entry->second.unreadable.emplace(key, clipped(why, kLongestReason));
  unreadable_.emplace(key, entry);
  return was;
}

std::string Snapshot::forget_unreadable(std::string_view key) {
  const auto known = unreadable_.find(key);
  if (known == unreadable_.end()) return "";
  const auto entry = known->second;
  std::string node = entry->first;
  entry->second.unreadable.erase(known->first);
  unreadable_.erase(known);
  drop_if_empty(entry);
  return node;
}

std::vector<std::string> Snapshot::unreadable_keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, entry] : unreadable_) keys.push_back(key);
  return keys;
}

// ---- nodes ----

Changes Snapshot::put(policy::Node node) {
  std::optional<policy::Node>& known = nodes_[node.name].node;
  const Changes changes = changes_of(known ? &*known : nullptr, &node);
  known = std::move(node);
  return changes;
}

Changes Snapshot::remove_node(std::string_view name) {
  const auto entry = nodes_.find(name);
  if (entry == nodes_.end() || !entry->second.node) return {};
  const Changes changes = changes_of(&*entry->second.node, nullptr);
  entry->second.node.reset();
  drop_if_empty(entry);
  return changes;
}

void Snapshot::drop_if_empty(Nodes::iterator node) {
  const Entry& entry = node->second;
  const bool is_empty = entry.pods.empty() && entry.nominated.empty() && entry.unreadable.empty();
  if (!entry.node && is_empty) nodes_.erase(node);
}

std::vector<std::string> Snapshot::node_names() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : nodes_) {
    if (entry.node) names.push_back(name);
  }
  return names;
}

const policy::Node* Snapshot::node(std::string_view name) const {
  const auto entry = nodes_.find(name);
  return entry == nodes_.end() || !entry->second.node ? nullptr : &*entry->second.node;
}

// ---- budgets ----

std::optional<PodDisruptionBudget> Snapshot::put(PodDisruptionBudget budget) {
  Budgets& known = budgets_[budget.ns];
  const auto at = known.find(budget.name);
  if (at == known.end()) {
    std::string name = budget.name;
    known.emplace(std::move(name), Budget{.seen = std::move(budget)});
    return std::nullopt;
  }
  PodDisruptionBudget before = std::exchange(at->second.seen, std::move(budget));
  // As many as its owner has counted since.
  std::int64_t counted = before.disruptions_allowed - at->second.seen.disruptions_allowed;
  auto& debits = at->second.debits;
  for (; counted > 0 && !debits.empty(); --counted) debits.erase(debits.begin());
  return before;
}

std::optional<PodDisruptionBudget> Snapshot::remove_budget(std::string_view ns,
                                                           std::string_view name) {
  const auto known = budgets_.find(ns);
  if (known == budgets_.end()) return std::nullopt;
  const auto at = known->second.find(name);
  if (at == known->second.end()) return std::nullopt;
  PodDisruptionBudget before = std::move(at->second.seen);
  known->second.erase(at);
  if (known->second.empty()) budgets_.erase(known);
  return before;
}

std::vector<std::pair<std::string, std::string>> Snapshot::budget_names() const {
  std::vector<std::pair<std::string, std::string>> names;
  for (const auto& [ns, budgets] : budgets_) {
    for (const auto& [name, budget] : budgets) names.emplace_back(ns, name);
  }
  return names;
}

bool Snapshot::covers(const PodDisruptionBudget& budget, std::string_view node) const {
  const auto entry = nodes_.find(node);
  if (entry == nodes_.end() || !budget.selector) return false;
  const Packed& pods = entry->second.pods;
  for (auto at = pods.lower_bound(budget.ns + "/");
       at != pods.end() && namespace_of(at->first) == budget.ns; ++at) {
    if (covers_pod(budget, at->second.unpacked())) return true;
  }
  return false;
}

void Snapshot::debit_budgets(const Pod& victim) {
  const auto known = budgets_.find(victim.ns);
  if (known == budgets_.end()) return;
  for (auto& [name, budget] : known->second) {
    std::erase_if(budget.debits,
                  [this](const auto& debit) { return !places_.contains(debit.first); });
    if (covers_pod(budget.seen, victim)) budget.debits[policy::key_of(victim)] = victim.uid;
  }
}

// ---- what is decided upon ----

std::vector<Pod> Snapshot::pods_of(std::string_view node) const {
  std::vector<Pod> pods;
  const auto entry = nodes_.find(node);
  if (entry == nodes_.end()) return pods;
  pods.reserve(entry->second.pods.size());
  for (const auto& [key, packed] : entry->second.pods) pods.push_back(packed.unpacked());
  return pods;
}

std::optional<NodeView> Snapshot::view(std::string_view node) const {
  const auto entry = nodes_.find(node);
  if (entry == nodes_.end() || !entry->second.node) return std::nullopt;
  NodeView view{.node = *entry->second.node, .pods = pods_of(node)};
  for (const auto& [key, packed] : entry->second.nominated) {
    view.nominated.push_back(packed.unpacked());
  }
  std::string_view last;
  for (const Pod& pod : view.pods) {  // by namespace, as keys are ordered
    if (pod.ns == last) continue;
    last = pod.ns;
    const auto known = budgets_.find(pod.ns);
    if (known == budgets_.end()) continue;
    for (const auto& [name, budget] : known->second) {
      PodDisruptionBudget left = budget.seen;
      const auto going = std::ranges::count_if(budget.debits, [this](const auto& debit) {
        const PackedPod* going_pod = find(debit.first);
        return going_pod != nullptr && going_pod->uid() == debit.second;
      });
      left.disruptions_allowed = std::max<std::int64_t>(0, left.disruptions_allowed - going);
      view.budgets.upstream.push_back(std::move(left));
    }
  }
  const auto& unreadable = entry->second.unreadable;
  view.contradiction =
      unreadable.empty() ? contradiction_in(view.pods) : what_is_unreadable(unreadable);
  return view;
}

}  // namespace elbowroom::cluster
