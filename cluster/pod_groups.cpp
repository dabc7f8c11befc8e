#include "cluster/pod_groups.h"

#include <utility>

namespace elbowroom::cluster {

const policy::PodGroup* PodGroups::find(std::string_view key) const {
  const auto at = groups_.find(key);
  return at == groups_.end() ? nullptr : &at->second;
}

std::optional<policy::PodGroup> PodGroups::put(policy::PodGroup group) {
  std::string key = policy::key_of(group);
  const auto known = groups_.find(key);
  if (known != groups_.end()) return std::exchange(known->second, std::move(group));
  groups_.emplace(std::move(key), std::move(group));
  return std::nullopt;
}

std::optional<policy::PodGroup> PodGroups::remove(std::string_view key, std::string_view uid) {
  const auto known = groups_.find(key);
  if (known == groups_.end()) return std::nullopt;
  if (!uid.empty() && known->second.standing.uid != uid) return std::nullopt;
  std::optional<policy::PodGroup> before = std::move(known->second);
  groups_.erase(known);
  return before;
}

std::vector<std::string> PodGroups::keys() const {
  std::vector<std::string> keys;
  keys.reserve(groups_.size());
  for (const auto& [key, group] : groups_) keys.push_back(key);
  return keys;
}

void PodGroups::join(const policy::Pod& pod) {
  if (policy::is_grouped(pod)) members_[policy::group_key_of(pod)].insert(policy::key_of(pod));
}

void PodGroups::leave(const policy::Pod& pod) {
  if (!policy::is_grouped(pod)) return;
  const auto of = members_.find(policy::group_key_of(pod));
  if (of == members_.end()) return;
  of->second.erase(policy::key_of(pod));
  if (of->second.empty()) members_.erase(of);
}

const PodGroups::Names& PodGroups::members(std::string_view key) const {
  static const Names none;
  const auto of = members_.find(key);
  return of == members_.end() ? none : of->second;
}

void PodGroups::stamp(policy::Pod& pod) const {
  pod.group.reset();
  if (!policy::is_grouped(pod)) return;
  if (const policy::PodGroup* group = find(policy::group_key_of(pod))) pod.group = group->standing;
}

}  // namespace elbowroom::cluster
