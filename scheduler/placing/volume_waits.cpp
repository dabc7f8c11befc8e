#include "scheduler/placing/volume_waits.h"

#include <algorithm>
#include <utility>

namespace elbowroom::scheduler {
namespace {

void erase_from(std::map<std::string, std::set<std::string, std::less<>>, std::less<>>& index,
                const std::string& name, std::string_view pod) {
  const auto at = index.find(name);
  if (at == index.end()) return;
  if (const auto one = at->second.find(pod); one != at->second.end()) at->second.erase(one);
  if (at->second.empty()) index.erase(at);
}

}  // namespace

void VolumeWaits::note(const policy::Pod& pod, const policy::VolumeRoom& volumes) {
  const std::string key = policy::key_of(pod);
  forget(key);
  if (pod.placement.claims.empty()) return;
  Noted noted;
  for (const policy::PodClaim& each : pod.placement.claims) {
    std::string name = pod.ns + "/" + each.name;
    const policy::VolumeClaim* claim = volumes.claim(name);
    if (claim != nullptr && !claim->is_bound()) noted.classes.insert(claim->storage_class);
    by_claim_[name].insert(key);
    noted.claims.push_back(std::move(name));
  }
  for (const std::string& each : noted.classes) by_class_[each].insert(key);
  pods_.emplace(key, std::move(noted));
}

void VolumeWaits::forget(std::string_view pod) {
  const auto at = pods_.find(pod);
  if (at == pods_.end()) return;
  for (const std::string& each : at->second.claims) erase_from(by_claim_, each, pod);
  for (const std::string& each : at->second.classes) erase_from(by_class_, each, pod);
  pods_.erase(at);
}

std::vector<std::string> VolumeWaits::pods() const {
  std::vector<std::string> names;
  names.reserve(pods_.size());
  for (const auto& [name, noted] : pods_) names.push_back(name);
  return names;
}

VolumeWaits::Names VolumeWaits::named(const Index& index, std::string_view name) const {
  const auto at = index.find(name);
  return at == index.end() ? Names() : at->second;
}

VolumeWaits::Woken VolumeWaits::all() const {
  Woken woken;
  for (const auto& [name, noted] : pods_) woken.later.insert(name);
  return woken;
}

VolumeWaits::Woken VolumeWaits::by(const policy::VolumeClaim* before,
                                   const policy::VolumeClaim& after) const {
  if (before != nullptr) {
    policy::VolumeClaim same = *before;
    same.resource_version = after.resource_version;
    if (same == after) return {};
  }
  return {.at_once = named(by_claim_, policy::key_of(after))};
}

VolumeWaits::Woken VolumeWaits::by(const policy::PersistentVolume* before,
                                   const policy::PersistentVolume& after) const {
  if (before != nullptr) {
    policy::PersistentVolume same = *before;
    same.resource_version = after.resource_version;
    if (same == after) return {};
  }
  if (after.claim) {
    return {.at_once = named(by_claim_, after.claim->ns + "/" + after.claim->name)};
  }
  if (!after.is_available) return {};
  return {.later = named(by_class_, after.storage_class)};
}

VolumeWaits::Woken VolumeWaits::by(const policy::StorageClass* before,
                                   const policy::StorageClass& after) const {
  if (before != nullptr && *before == after) return {};
  return {.later = named(by_class_, after.name)};
}

VolumeWaits::Woken VolumeWaits::by(const policy::CsiNode* before,
                                   const policy::CsiNode& after) const {
  if (before == nullptr) return {};  // without one a node has no limits
  const bool grew = std::ranges::any_of(before->limits, [&](const auto& each) {
    const auto now = after.limits.find(each.first);
    return now == after.limits.end() || now->second > each.second;
  });
  return grew ? all() : Woken{};
}

VolumeWaits::Woken VolumeWaits::by(const policy::CsiDriver* before,
                                   const policy::CsiDriver& after) const {
  const bool helps = before != nullptr && before->publishes_capacity && !after.publishes_capacity;
  return helps ? all() : Woken{};
}

VolumeWaits::Woken VolumeWaits::by(const policy::StorageCapacity* before,
                                   const policy::StorageCapacity& after) const {
  const bool helps = before == nullptr || after.largest > before->largest ||
                     after.nodes != before->nodes || after.storage_class != before->storage_class;
  return helps ? Woken{.later = named(by_class_, after.storage_class)} : Woken{};
}

}  // namespace elbowroom::scheduler
