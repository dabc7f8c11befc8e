#include "lab/world/pods_by_node.h"

#include <algorithm>

namespace elbowroom::lab {
namespace {

constexpr std::size_t kMostChanges = 4096;  // per node, kept for late readers

const Kind& pod_kind() {
  static const Kind& kind = *find_kind("", "v1", "pods");
  return kind;
}

std::string key_of(std::string_view ns, std::string_view name) {
  return std::string(ns) + "/" + std::string(name);
}

}  // namespace

std::optional<std::vector<ChangedObject>> PodsByNode::changed_after(std::string_view node,
                                                                    std::uint64_t version) {
  catch_up();
  if (version < begun_) return std::nullopt;
  const auto at = nodes_.find(node);
  if (at == nodes_.end()) return std::vector<ChangedObject>();
  if (version < at->second.forgotten) return std::nullopt;
  const std::deque<ChangedObject>& changes = at->second.changes;
  return std::vector<ChangedObject>(
      std::ranges::upper_bound(changes, version, {}, &ChangedObject::version), changes.end());
}

std::vector<const Json*> PodsByNode::pods_of(std::string_view node) {
  catch_up();
  std::vector<const Json*> pods;
  const auto at = nodes_.find(node);
  if (at == nodes_.end()) return pods;
  for (const auto& [key, name] : at->second.pods) {
    pods.push_back(world_.peek(pod_kind(), name.first, name.second));
  }
  return pods;
}

void PodsByNode::catch_up() {
  if (world_.version() == version_) return;
  const auto changed = version_ == 0 ? std::nullopt : world_.changed_after(pod_kind(), version_);
  if (!changed) return begin_again();
  for (const ChangedObject& each : *changed) note(each);
  version_ = world_.version();
}

void PodsByNode::begin_again() {
  version_ = begun_ = world_.version();
  nodes_.clear();
  node_of_.clear();
  for (const Json* pod : world_.all_stored_objects(pod_kind())) {
    const std::string ns = text_at(*pod, {"metadata", "namespace"});
    const std::string name = text_at(*pod, {"metadata", "name"});
    const std::string node = text_at(*pod, {"spec", "nodeName"});
    const std::string key = key_of(ns, name);
    nodes_[node].pods.emplace(key, Name(ns, name));
    node_of_.emplace(key, node);
  }
}

// Recorded for the pod's node and for its previous node.
void PodsByNode::note(const ChangedObject& change) {
  const std::string key = key_of(change.ns, change.name);
  const Json* object = world_.peek(pod_kind(), change.ns, change.name);
  const auto known = node_of_.find(key);
  const std::string was = known == node_of_.end() ? "" : known->second;
  if (object == nullptr) {
    if (known == node_of_.end()) return;  // the pod was created and removed in between
    nodes_[was].pods.erase(key);
    node_of_.erase(known);
    return note_at(was, change);
  }
  const std::string is = text_at(*object, {"spec", "nodeName"});
  if (known != node_of_.end() && was != is) {
    nodes_[was].pods.erase(key);
    note_at(was, change);
  }
  node_of_.insert_or_assign(key, is);
  nodes_[is].pods.insert_or_assign(key, Name(change.ns, change.name));
  note_at(is, change);
}

void PodsByNode::note_at(const std::string& node, const ChangedObject& change) {
  if (node.empty()) return;  // pods without a node have no readers
  Node& at = nodes_[node];
  at.changes.push_back(change);
  if (at.changes.size() <= kMostChanges) return;
  at.forgotten = at.changes.front().version;
  at.changes.pop_front();
}

}  // namespace elbowroom::lab
