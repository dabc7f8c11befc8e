#include "policy/placement/default_spread.h"

#include <algorithm>

namespace elbowroom::policy {
namespace {

struct Default {
  std::string_view topology_key;
  std::int32_t max_skew;
};
constexpr std::array kDefaults{Default{"kubernetes.io/hostname", 3},
                               Default{"topology.kubernetes.io/zone", 5}};

bool is_empty(const LabelSelector& selector) {
  return selector.match_labels.empty() && selector.expressions.empty();
}

bool are_in(const Labels& wanted, const Labels& labels) {
  return std::ranges::all_of(wanted, [&](const auto& each) {
    const auto at = labels.find(each.first);
    return at != labels.end() && at->second == each.second;
  });
}

// Both must hold, also where they contradict.
void add_to(LabelSelector& to, const LabelSelector& more) {
  for (const auto& [key, value] : more.match_labels) {
    const auto [at, added] = to.match_labels.emplace(key, value);
    if (added || at->second == value) continue;
    to.expressions.push_back({.key = key, .op = LabelOperator::In, .values = {value}});
  }
  to.expressions.insert(to.expressions.end(), more.expressions.begin(), more.expressions.end());
}

std::optional<SelectingKind> kind_of(const Owner& owner) {
  if (owner.kind == "ReplicaSet") return SelectingKind::ReplicaSet;
  if (owner.kind == "StatefulSet") return SelectingKind::StatefulSet;
  if (owner.kind == "ReplicationController") return SelectingKind::ReplicationController;
  return std::nullopt;
}

}  // namespace

const std::map<SelectingIndex::Key, LabelSelector>& SelectingIndex::of(SelectingKind kind) const {
  return objects_.at(static_cast<std::size_t>(kind));
}

void SelectingIndex::put(const Selecting& object) {
  remove(object.kind, object.ns, object.name);
  objects_.at(static_cast<std::size_t>(object.kind))
      .emplace(Key(object.ns, object.name), object.selector);
  if (object.kind != SelectingKind::Service || object.selector.match_labels.empty()) return;
  services_[object.ns][*object.selector.match_labels.begin()].insert(object.name);
}

void SelectingIndex::remove(SelectingKind kind, std::string_view ns, std::string_view name) {
  auto& objects = objects_.at(static_cast<std::size_t>(kind));
  const auto known = objects.find(Key(ns, name));
  if (known == objects.end()) return;
  const Labels& labels = known->second.match_labels;
  const auto space = services_.find(ns);
  if (kind == SelectingKind::Service && !labels.empty() && space != services_.end()) {
    const auto at = space->second.find(*labels.begin());
    at->second.erase(known->first.second);
    if (at->second.empty()) space->second.erase(at);
    if (space->second.empty()) services_.erase(space);
  }
  objects.erase(known);
}

std::vector<std::string> SelectingIndex::keys_of(SelectingKind kind) const {
  std::vector<std::string> keys;
  for (const auto& [key, selector] : of(kind)) keys.push_back(key.first + "/" + key.second);
  std::ranges::sort(keys);
  return keys;
}

// All of them match the pod, so no two contradict.
Labels SelectingIndex::of_services(const Pod& pod) const {
  Labels merged;
  const auto space = services_.find(pod.ns);
  if (space == services_.end()) return merged;
  for (const auto& label : pod.labels) {
    const auto at = space->second.find(Label(label));
    if (at == space->second.end()) continue;
    for (const std::string& name : at->second) {
      const Labels& wanted = of(SelectingKind::Service).at({pod.ns, name}).match_labels;
      if (are_in(wanted, pod.labels)) merged.insert(wanted.begin(), wanted.end());
    }
  }
  return merged;
}

std::optional<LabelSelector> SelectingIndex::selector_of(const Pod& pod) const {
  LabelSelector made{.match_labels = of_services(pod)};
  const auto kind = pod.controller ? kind_of(*pod.controller) : std::nullopt;
  if (kind && !of(*kind).empty()) {
    const auto known = of(*kind).find({pod.ns, pod.controller->name});
    if (known != of(*kind).end()) {
      // As upstream merges them: of a label that both name, a replication controller's value
      // counts.
      if (kind == SelectingKind::ReplicationController) {
        for (const auto& [key, value] : known->second.match_labels) made.match_labels[key] = value;
      } else {
        add_to(made, known->second);
      }
    }
  }
  if (is_empty(made)) return std::nullopt;
  return made;
}

std::vector<SpreadConstraint> default_spread(const SelectingIndex& index, const Pod& pod) {
  std::vector<SpreadConstraint> made;
  if (!pod.placement.spread.empty()) return made;
  const std::optional<LabelSelector> selector = index.selector_of(pod);
  if (!selector) return made;
  for (const Default& each : kDefaults) {
    made.push_back({.max_skew = each.max_skew,
                    .topology_key = std::string(each.topology_key),
                    .required = false,
                    .selector = selector});
  }
  return made;
}

}  // namespace elbowroom::policy
