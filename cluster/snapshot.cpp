#include "cluster/snapshot.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "base/text.h"
#include "cluster/packed_labels.h"
#include "cluster/unreadable_object.h"
#include "policy/ledger/ledger.h"
#include "policy/model/selector.h"
#include "policy/preemption/budget_coverage.h"

namespace elbowroom::cluster {
namespace {

using policy::Pod;
using policy::PodDisruptionBudget;

// The limit for the message about an unreadable pod.
constexpr std::size_t kLongestReason = 300;

std::string_view namespace_of(std::string_view key) { return key.substr(0, key.find('/')); }

policy::Strength strength_of(const policy::DisruptionBudget& budget, const Pod* pod) {
  return pod == nullptr ? policy::Strength{} : policy::strength_of(budget, std::span(pod, 1));
}

bool is_bound(const Pod& pod) { return !pod.node.empty(); }

bool is_nominated(const Pod& pod) { return !is_bound(pod) && !pod.nominated_node.empty(); }

// Two pods share one uid: a delete could hit the wrong one.
std::string contradiction_in(std::span<const Pod> pods) {
  std::map<std::string_view, const Pod*> by_uid;
  for (const Pod& pod : pods) {
    const auto [at, is_new] = by_uid.emplace(pod.uid, &pod);
    if (is_new) continue;
    return same_uid_message(policy::key_of(*at->second), policy::key_of(pod), pod.uid);
  }
  return "";
}

// Removes and returns the budget as last seen; `kept` holds either kind by namespace and name.
template <class Kept>
auto taken_out(Kept& kept, std::string_view ns, std::string_view name) {
  using Budget = decltype(kept.begin()->second.begin()->second.seen);
  const auto known = kept.find(ns);
  if (known == kept.end()) return std::optional<Budget>();
  const auto at = known->second.find(name);
  if (at == known->second.end()) return std::optional<Budget>();
  std::optional<Budget> before = std::move(at->second.seen);
  known->second.erase(at);
  if (known->second.empty()) kept.erase(known);
  return before;
}

// The namespaces and names of all budgets.
template <class Kept>
std::vector<std::pair<std::string, std::string>> names_in(const Kept& kept) {
  std::vector<std::pair<std::string, std::string>> names;
  for (const auto& [ns, budgets] : kept) {
    for (const auto& [name, budget] : budgets) names.emplace_back(ns, name);
  }
  return names;
}

}  // namespace

// The copy's places refer to its own pods.
Snapshot::Snapshot(const Snapshot& other)
    : places_for_(other.places_for_),
      nodes_(other.nodes_),
      budgets_(other.budgets_),
      own_budgets_(other.own_budgets_),
      own_index_(other.own_index_),
      awaited_(other.awaited_),
      left_out_(other.left_out_),
      labels_(other.labels_),
      groups_(other.groups_) {
  places_.reserve(other.places_.size());
  for (auto node = nodes_.begin(); node != nodes_.end(); ++node) {
    Entry& entry = node->second;
    for (auto pod = entry.pods.begin(); pod != entry.pods.end(); ++pod) {
      places_.emplace(pod->first, Place{.node = node, .pod = pod});
    }
    for (auto pod = entry.nominated.begin(); pod != entry.nominated.end(); ++pod) {
      places_.emplace(pod->first, Place{.node = node, .pod = pod, .nominated = true});
    }
    for (const auto& [key, why] : entry.unreadable) unreadable_.emplace(key, node);
  }
}

std::string same_uid_message(std::string_view one, std::string_view other, std::string_view uid) {
  const auto [first, second] = std::minmax(one, other);
  return "pods " + std::string(first) + " and " + std::string(second) + " have the same uid " +
         std::string(uid);
}

// ---- pods ----

bool Snapshot::is_kept(const Pod& pod) const {
  if (policy::is_finished(pod)) return false;
  if (is_bound(pod) || is_nominated(pod) || places_for_.contains(pod.scheduler_name)) return true;
  // A gang is not placed without them.
  return !places_for_.empty() && policy::is_grouped(pod);
}

Pod Snapshot::unpacked(const PackedPod& packed) const {
  Pod pod = packed.unpacked();
  groups_.stamp(pod);
  return pod;
}

PodEvent Snapshot::put(PackedPod packed) {
  const auto known = places_.find(packed.key());
  if (known != places_.end() && known->second.pod->second == packed) return {};
  Pod pod = unpacked(packed);
  PodEvent event{.ns = pod.ns};
  if (known != places_.end()) event.before = unpacked(known->second.pod->second);
  const std::string& place = is_bound(pod) ? pod.node : pod.nominated_node;
  event.node = !place.empty() || !event.before ? place
               : is_bound(*event.before)       ? event.before->node
                                               : event.before->nominated_node;
  const bool bound = is_bound(pod);
  const bool stays = known != places_.end() && is_kept(pod) && known->second.nominated == !bound &&
                     known->second.node->first == place;
  if (stays) {
    PackedPod& kept = known->second.pod->second;
    if (bound && kept.labels_text() != packed.labels_text()) {
      labels_.remove(pod.ns, kept.labels_text(), place);
      labels_.add(pod.ns, packed.labels_text(), place);
    }
    if (event.before->scheduling_group != pod.scheduling_group) {
      groups_.leave(*event.before);
      groups_.join(pod);
    }
    kept = std::move(packed);
    if (bound) kept_pods_.put(place, pod);
  } else {
    if (known != places_.end()) take_out(known, *event.before);
    if (is_kept(pod)) put_in(std::move(packed), pod);
  }
  if (is_kept(pod)) {
    event.after = std::move(pod);
  } else {
    event.ended = std::move(pod);
  }
  const bool was_bound = event.before && is_bound(*event.before);
  event.changes = changes_of(was_bound ? &*event.before : nullptr,
                             event.after && bound ? &*event.after : nullptr);
  const bool concerns =
      (event.before && is_nominated(*event.before)) || (event.after && is_nominated(*event.after));
  if (concerns && event.before != event.after) event.changes |= Change::Nominated;
  const Pod& is = event.after ? *event.after : *event.ended;
  const std::string key = policy::key_of(is);
  const std::optional<Pod> was = event.before ? event.before : awaited(key);
  event.own_budgets = recount(was ? &*was : nullptr, &is);
  if (bound || policy::is_finished(is)) {
    awaited_.erase(key);
  } else {
    awaited_.insert_or_assign(key, Awaited{.uid = is.uid, .labels = is.labels});
  }
  return event;
}

std::optional<Pod> Snapshot::awaited(std::string_view key) const {
  const auto at = awaited_.find(key);
  if (at == awaited_.end()) return std::nullopt;
  Pod pod;
  pod.ns = namespace_of(key);
  pod.name = key.substr(pod.ns.size() + 1);
  pod.uid = at->second.uid;
  pod.labels = at->second.labels;
  return pod;
}

void Snapshot::put_in(PackedPod packed, const Pod& pod) {
  const bool bound = is_bound(pod);
  const auto node = nodes_.try_emplace(bound ? pod.node : pod.nominated_node).first;
  std::string key(packed.key());
  Packed& pods = bound ? node->second.pods : node->second.nominated;
  const auto at = pods.emplace(key, std::move(packed)).first;
  if (bound) {
    labels_.add(pod.ns, at->second.labels_text(), node->first);
    kept_pods_.put(node->first, pod);
  }
  places_.insert_or_assign(std::move(key), Place{.node = node, .pod = at, .nominated = !bound});
  groups_.join(pod);
}

bool Snapshot::replaces_another(const PackedPod& packed) const {
  const auto known = places_.find(packed.key());
  if (known == places_.end()) return false;
  if (known->second.pod->second.uid() != packed.uid()) return true;
  const std::string& place = known->second.node->first;
  return packed.node().empty() ? packed.unpacked().nominated_node != place : packed.node() != place;
}

PodEvent Snapshot::remove_pod(std::string_view key, std::string_view uid) {
  const std::optional<Pod> waited = awaited(key);
  const bool waited_for_node = waited && (uid.empty() || waited->uid == uid);
  if (waited_for_node) awaited_.erase(awaited_.find(key));
  const auto known = places_.find(key);
  if (known == places_.end()) {
    if (!waited_for_node) return {};
    return {.ns = waited->ns, .own_budgets = recount(&*waited, nullptr)};
  }
  PodEvent event{.ns = std::string(namespace_of(key)),
                 .before = unpacked(known->second.pod->second)};
  if (!uid.empty() && event.before->uid != uid) return {};
  take_out(known, *event.before);
  const bool was_bound = is_bound(*event.before);
  event.node = was_bound ? event.before->node : event.before->nominated_node;
  if (was_bound) {
    event.changes = changes_of(&*event.before, nullptr);
  } else if (is_nominated(*event.before)) {
    event.changes = Change::Nominated;
  }
  event.own_budgets = recount(&*event.before, nullptr);
  return event;
}

void Snapshot::take_out(Places::iterator place, const Pod& pod) {
  groups_.leave(pod);
  const auto node = place->second.node;
  if (!place->second.nominated) {
    labels_.remove(namespace_of(place->first), place->second.pod->second.labels_text(),
                   node->first);
    kept_pods_.remove(node->first, place->first);
  }
  (place->second.nominated ? node->second.nominated : node->second.pods).erase(place->second.pod);
  places_.erase(place);
  drop_if_empty(node);
}

// Updates the strength of the namespace's budgets for the change of the pod.
std::vector<std::string> Snapshot::recount(const Pod* before, const Pod* after) {
  if (own_budgets_.empty() || (before == nullptr && after == nullptr)) return {};
  const std::string& ns = before != nullptr ? before->ns : after->ns;
  const auto known = own_budgets_.find(ns);
  if (known == own_budgets_.end()) return {};
  const BudgetIndex& index = own_index_.find(ns)->second;
  BudgetIndex::Names candidates;
  if (before != nullptr) index.add_candidates(before->labels, candidates);
  if (after != nullptr && (before == nullptr || after->labels != before->labels)) {
    index.add_candidates(after->labels, candidates);
  }
  std::vector<std::string> changed;
  for (const std::string& name : candidates) {
    OwnBudget& budget = known->second.find(name)->second;
    const policy::Strength was = strength_of(budget.seen, before);
    const policy::Strength is = strength_of(budget.seen, after);
    if (was == is) continue;
    budget.strength.add(is);
    budget.strength.subtract(was);
    changed.push_back(name);
  }
  return changed;
}

const PackedPod* Snapshot::find(std::string_view key) const {
  const auto place = places_.find(key);
  return place == places_.end() ? nullptr : &place->second.pod->second;
}

std::optional<Pod> Snapshot::pod(std::string_view key) const {
  const PackedPod* packed = find(key);
  return packed == nullptr ? std::nullopt : std::optional(unpacked(*packed));
}

std::vector<std::string> Snapshot::pod_keys() const {
  std::vector<std::string> keys;
  keys.reserve(places_.size());
  for (const auto& [key, place] : places_) keys.push_back(key);
  std::ranges::sort(keys);  // so that removed pods are reported in the same order on every machine
  return keys;
}

std::vector<std::string> Snapshot::seen_keys() const {
  std::vector<std::string> keys = pod_keys();
  for (const auto& [key, pod] : awaited_) {
    if (!places_.contains(key)) keys.push_back(key);
  }
  std::ranges::sort(keys);
  return keys;
}

// ---- unreadable pods ----

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

std::map<std::string, std::string, std::less<>> Snapshot::unclear_nodes() const {
  std::map<std::string, std::string, std::less<>> nodes;
  for (const auto& [key, entry] : unreadable_) {
    nodes.emplace(entry->first, kUnclearNode);
  }
  return nodes;
}

// ---- pod groups ----

// What the group says stands in each of its pods.
void Snapshot::forget_members_of(std::string_view group) {
  for (const std::string& key : groups_.members(group)) kept_pods_.forget(find(key)->node());
}

GroupEvent Snapshot::put(policy::PodGroup group) {
  const std::string key = policy::key_of(group);
  const policy::PodGroup* known = groups_.find(key);
  if (known == nullptr || known->standing != group.standing) forget_members_of(key);
  GroupEvent event{.after = group};
  event.before = groups_.put(std::move(group));
  return event;
}

GroupEvent Snapshot::remove_group(std::string_view key, std::string_view uid) {
  forget_members_of(key);
  return {.before = groups_.remove(key, uid)};
}

std::vector<Pod> Snapshot::members_of(std::string_view group) const {
  std::vector<Pod> pods;
  for (const std::string& key : groups_.members(group)) pods.push_back(unpacked(*find(key)));
  return pods;
}

// ---- nodes ----

Changes Snapshot::put(policy::Node node) {
  std::optional<policy::Node>& known = nodes_[node.name].node;
  const Changes changes = changes_of(known ? &*known : nullptr, &node);
  known = std::move(node);
  known->images = {};  // what places pods has kept them
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
  // How many disruptions the budget's controller has counted since.
  std::int64_t counted = before.disruptions_allowed - at->second.seen.disruptions_allowed;
  auto& debits = at->second.debits;
  for (; counted > 0 && !debits.empty(); --counted) debits.erase(debits.begin());
  return before;
}

std::optional<PodDisruptionBudget> Snapshot::remove_budget(std::string_view ns,
                                                           std::string_view name) {
  return taken_out(budgets_, ns, name);
}

std::vector<std::pair<std::string, std::string>> Snapshot::budget_names() const {
  return names_in(budgets_);
}

// ---- our DisruptionBudgets ----

std::optional<policy::DisruptionBudget> Snapshot::put(policy::DisruptionBudget budget) {
  OwnBudgets& known = own_budgets_[budget.ns];
  const auto [at, is_new] = known.try_emplace(budget.name);
  OwnBudget& kept = at->second;
  const bool covers_the_same = !is_new && kept.seen.selector == budget.selector;
  auto before = std::exchange(kept.seen, std::move(budget));
  if (!covers_the_same) {
    BudgetIndex& index = own_index_[kept.seen.ns];
    if (!is_new) index.remove(kept.seen.name, before.selector);
    index.put(kept.seen.name, kept.seen.selector);
    kept.strength = {};
    std::set<std::string> covered;
    each_covered(kept.seen.ns, kept.seen.selector,
                 [&](const std::string& node) { covered.insert(node); });
    for (const std::string& node : covered) {
      each_pod_of(kept.seen.ns, nodes_.find(node)->second, [&](const PackedPod& packed) {
        const Pod pod = packed.unpacked();
        kept.strength.add(strength_of(kept.seen, &pod));
      });
    }
    const std::string prefix = kept.seen.ns + "/";
    for (auto waits = awaited_.lower_bound(prefix);
         waits != awaited_.end() && namespace_of(waits->first) == kept.seen.ns; ++waits) {
      const std::optional<Pod> pod = awaited(waits->first);
      kept.strength.add(strength_of(kept.seen, &*pod));
    }
  }
  std::erase_if(kept.debits, [&](const policy::LedgerEntry& each) {
    return std::ranges::find(kept.seen.recent, each.uid, &policy::LedgerEntry::uid) !=
           kept.seen.recent.end();
  });
  return is_new ? std::nullopt : std::optional(std::move(before));
}

std::optional<policy::DisruptionBudget> Snapshot::remove_own_budget(std::string_view ns,
                                                                    std::string_view name) {
  auto gone = taken_out(own_budgets_, ns, name);
  if (!gone) return gone;
  const auto index = own_index_.find(ns);
  index->second.remove(name, gone->selector);
  if (!own_budgets_.contains(ns)) own_index_.erase(index);
  return gone;
}

std::vector<std::pair<std::string, std::string>> Snapshot::own_budget_names() const {
  return names_in(own_budgets_);
}

const policy::DisruptionBudget* Snapshot::own_budget(std::string_view ns,
                                                     std::string_view name) const {
  const auto known = own_budgets_.find(ns);
  if (known == own_budgets_.end()) return nullptr;
  const auto at = known->second.find(name);
  return at == known->second.end() ? nullptr : &at->second.seen;
}

std::set<std::string> Snapshot::entered_in(std::string_view ns, std::string_view name) const {
  std::set<std::string> uids;
  const auto known = own_budgets_.find(ns);
  if (known == own_budgets_.end()) return uids;
  const auto at = known->second.find(name);
  if (at == known->second.end()) return uids;
  for (const policy::LedgerEntry& each : at->second.seen.recent) uids.insert(each.uid);
  for (const policy::LedgerEntry& each : at->second.debits) uids.insert(each.uid);
  return uids;
}

std::vector<const policy::DisruptionBudget*> Snapshot::own_budgets_over(const Pod& pod) const {
  std::vector<const policy::DisruptionBudget*> over;
  const auto own = own_budgets_.find(pod.ns);
  if (own == own_budgets_.end()) return over;
  BudgetIndex::Names candidates;
  own_index_.find(pod.ns)->second.add_candidates(pod.labels, candidates);
  for (const std::string& name : candidates) {
    const policy::DisruptionBudget& budget = own->second.find(name)->second.seen;
    if (policy::is_covered(budget, pod)) over.push_back(&budget);
  }
  return over;
}

policy::Strength Snapshot::strength_over(const policy::DisruptionBudget& budget) const {
  return own_budgets_.find(budget.ns)->second.find(budget.name)->second.strength;
}

std::vector<Pod> Snapshot::named_by(const policy::Ledger& ledger, std::string_view ns) const {
  std::vector<Pod> named;
  for (const policy::LedgerEntry& each : ledger) {
    const PackedPod* there = find(std::string(ns) + "/" + each.pod);
    if (there != nullptr && there->uid() == each.uid) named.push_back(there->unpacked());
  }
  return named;
}

// ---- covered pods ----

template <class Use>
void Snapshot::each_pod_of(std::string_view ns, const Entry& entry, Use use) const {
  const std::string prefix = std::string(ns) + "/";
  for (auto at = entry.pods.lower_bound(prefix);
       at != entry.pods.end() && namespace_of(at->first) == ns; ++at) {
    use(at->second);
  }
}

bool Snapshot::holds_covered(std::string_view node, std::string_view ns,
                             const std::optional<policy::LabelSelector>& selector) const {
  const auto entry = nodes_.find(node);
  if (entry == nodes_.end() || !selector) return false;
  bool holds = false;
  policy::LabelViews views;
  each_pod_of(ns, entry->second, [&](const PackedPod& packed) {
    read_labels(packed.labels_text(), views);
    holds = holds || policy::matches(*selector, views);
  });
  return holds;
}

bool Snapshot::is_debited(const std::string& pod) const {
  const auto known = budgets_.find(namespace_of(pod));
  return known != budgets_.end() && std::ranges::any_of(known->second, [&](const auto& budget) {
           return budget.second.debits.contains(pod);
         });
}

bool Snapshot::spares_unhealthy(const OwnBudget& budget, policy::Time now) const {
  policy::Ledger all = budget.seen.recent;
  all.insert(all.end(), budget.debits.begin(), budget.debits.end());
  const std::vector<Pod> pods = named_by(all, budget.seen.ns);
  const policy::LedgerState state{
      .budget = budget.seen, .strength = budget.strength, .pods = pods, .now = now};
  return policy::spares_unhealthy(budget.seen, policy::strength_beside(state, all));
}

Snapshot::Debits Snapshot::debit_budgets(const Pod& victim, policy::Time now) {
  Debits made;
  if (const auto known = budgets_.find(victim.ns); known != budgets_.end()) {
    for (auto& [name, budget] : known->second) {
      std::erase_if(budget.debits,
                    [this](const auto& debit) { return !places_.contains(debit.first); });
      if (!policy::covers(budget.seen.ns, budget.seen.selector, victim)) continue;
      if (policy::is_unhealthy(victim) && policy::spares_unhealthy(budget.seen)) continue;
      const auto [at, is_new] = budget.debits.insert_or_assign(policy::key_of(victim), victim.uid);
      if (is_new) made.insert({false, victim.ns, name, victim.uid});
    }
  }
  const auto own = own_budgets_.find(victim.ns);
  if (own == own_budgets_.end()) return made;
  for (auto& [name, budget] : own->second) {
    std::erase_if(budget.debits, [&](const policy::LedgerEntry& each) {
      const bool is_over = now - each.time >= budget.seen.rate_per;
      return is_over && !places_.contains(victim.ns + "/" + each.pod);
    });
    const auto is_there = [&](const policy::LedgerEntry& each) {
      return each.uid == victim.uid && policy::is_charged(budget.seen, each, now);
    };
    if (std::ranges::any_of(budget.debits, is_there) ||
        !policy::covers(budget.seen.ns, budget.seen.selector, victim)) {
      continue;
    }
    if (std::ranges::any_of(budget.seen.recent, is_there)) continue;
    if (policy::is_unhealthy(victim) && spares_unhealthy(budget, now)) continue;
    budget.debits.push_back({.pod = victim.name, .uid = victim.uid, .time = now});
    made.insert({true, victim.ns, name, victim.uid});
  }
  return made;
}

bool Snapshot::undebit_budgets(const std::string& ns, const std::string& uid) {
  std::size_t undone = 0;
  if (const auto known = budgets_.find(ns); known != budgets_.end()) {
    for (auto& [name, budget] : known->second) {
      undone += std::erase_if(budget.debits, [&](const auto& each) { return each.second == uid; });
    }
  }
  if (const auto own = own_budgets_.find(ns); own != own_budgets_.end()) {
    for (auto& [name, budget] : own->second) {
      undone += std::erase_if(budget.debits, [&](const auto& each) { return each.uid == uid; });
    }
  }
  return undone > 0;
}

// ---- views for decisions ----

std::vector<Pod> Snapshot::pods_of(std::string_view node) const {
  std::vector<Pod> pods;
  const auto entry = nodes_.find(node);
  if (entry == nodes_.end()) return pods;
  pods.reserve(entry->second.pods.size());
  for (const auto& [key, packed] : entry->second.pods) pods.push_back(unpacked(packed));
  return pods;
}

policy::Ledger Snapshot::counted(const policy::Ledger& ledger, const std::string& ns,
                                 const std::string& name) const {
  policy::Ledger kept;
  for (const policy::LedgerEntry& each : ledger) {
    if (!left_out_.contains({true, ns, name, each.uid})) kept.push_back(each);
  }
  return kept;
}

// What other programs have debited, and not removed yet, counts as gone, as what we have.
void Snapshot::add_own_budget(const OwnBudget& budget, policy::Time now,
                              policy::Budgets& to) const {
  policy::DisruptionBudget seen = budget.seen;
  if (seen.recent.empty() && budget.debits.empty()) {
    to.ours.push_back(std::move(seen));
    to.strengths.push_back(budget.strength);
    return;
  }
  seen.recent = counted(seen.recent, seen.ns, seen.name);
  policy::Ledger debits = counted(budget.debits, seen.ns, seen.name);
  std::vector<Pod> pods = named_by(seen.recent, seen.ns);
  std::ranges::move(named_by(debits, seen.ns), std::back_inserter(pods));
  const policy::LedgerState state{
      .budget = seen, .strength = budget.strength, .pods = pods, .now = now};
  policy::Ledger all = policy::current_entries(state);
  all.insert(all.end(), debits.begin(), debits.end());
  to.strengths.push_back(policy::strength_beside(state, all));
  // A pod whose uid stands among the entries is not charged. What is not written may be refused.
  for (policy::LedgerEntry& each : std::span(all).last(debits.size())) each.uid.clear();
  seen.recent = std::move(all);
  to.ours.push_back(std::move(seen));
}

PodDisruptionBudget Snapshot::left_of(const Budget& budget) const {
  PodDisruptionBudget left = budget.seen;
  const auto going = std::ranges::count_if(budget.debits, [&](const auto& debit) {
    const PackedPod* going_pod = find(debit.first);
    return going_pod != nullptr && going_pod->uid() == debit.second &&
           !left_out_.contains({false, left.ns, left.name, debit.second});
  });
  left.disruptions_allowed = std::max<std::int64_t>(0, left.disruptions_allowed - going);
  return left;
}

std::optional<PodDisruptionBudget> Snapshot::budget(std::string_view ns,
                                                    std::string_view name) const {
  const auto known = budgets_.find(ns);
  if (known == budgets_.end()) return std::nullopt;
  const auto at = known->second.find(name);
  return at == known->second.end() ? std::nullopt : std::optional(left_of(at->second));
}

void Snapshot::add_budgets_of(std::string_view ns, policy::Time now, policy::Budgets& to) const {
  if (const auto known = budgets_.find(ns); known != budgets_.end()) {
    for (const auto& [name, budget] : known->second) {
      to.upstream.push_back(left_of(budget));
    }
  }
  const auto own = own_budgets_.find(ns);
  if (own == own_budgets_.end()) return;
  for (const auto& [name, budget] : own->second) add_own_budget(budget, now, to);
}

policy::Budgets Snapshot::budgets_of(std::string_view ns, policy::Time now) const {
  policy::Budgets budgets;
  add_budgets_of(ns, now, budgets);
  return budgets;
}

void Snapshot::add_elsewhere(std::string_view node, NodeView& to) const {
  std::set<std::string> groups;
  for (const Pod& pod : to.pods) {
    const bool is_whole = pod.group && pod.group->mode == policy::DisruptionMode::All;
    if (is_whole) groups.insert(policy::group_key_of(pod));
  }
  for (const std::string& group : groups) {
    for (const std::string& key : groups_.members(group)) {
      const PackedPod* packed = find(key);
      if (packed->node().empty() || packed->node() == node) continue;
      to.elsewhere.push_back(unpacked(*packed));
    }
  }
}

std::optional<NodeView> Snapshot::view(std::string_view node, policy::Time now) const {
  const auto entry = nodes_.find(node);
  if (entry == nodes_.end() || !entry->second.node) return std::nullopt;
  KeptPods::Node kept = kept_pods_.of(node, [&] { return pods_of(node); }, contradiction_in);
  NodeView view{.node = *entry->second.node, .pods = std::move(kept.pods)};
  for (const auto& [key, packed] : entry->second.nominated) {
    view.nominated.push_back(unpacked(packed));
  }
  std::string_view last;
  for (const Pod& pod : view.pods) {  // by namespace, as keys are sorted
    if (pod.ns == last) continue;
    last = pod.ns;
    add_budgets_of(pod.ns, now, view.budgets);
  }
  const auto& unreadable = entry->second.unreadable;
  add_elsewhere(node, view);
  view.contradiction =
      unreadable.empty() ? std::move(kept.contradiction) : unreadable_message(unreadable);
  return view;
}

}  // namespace elbowroom::cluster
