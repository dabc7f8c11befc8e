#include "scheduler/placing/assume_cache.h"

#include <utility>

namespace elbowroom::scheduler {

using cluster::PackedPod;
using policy::Pod;

AssumeCache::AssumedPod& AssumeCache::made_for(const Pod& believed) {
  const auto [at, is_new] = made_.try_emplace(policy::key_of(believed));
  if (is_new || at->second.uid != believed.uid) {
    at->second = {.uid = believed.uid, .shown = PackedPod::packed(believed)};
  }
  return at->second;
}

void AssumeCache::bind(const Pod& believed, const std::string& node) {
  AssumedPod& assumed = made_for(believed);
  assumed.node = node;
  assumed.is_bound = false;
}

void AssumeCache::bound(std::string_view key, std::string_view uid, std::string_view node) {
  const auto at = made_.find(key);
  if (at == made_.end() || at->second.uid != uid) return;
  if (at->second.node == node) at->second.is_bound = true;
}

bool AssumeCache::is_bound(std::string_view key, std::string_view uid) const {
  const auto at = made_.find(key);
  return at != made_.end() && at->second.uid == uid && at->second.node && at->second.is_bound;
}

void AssumeCache::nominate(const Pod& believed, const std::string& node) {
  AssumedPod& assumed = made_for(believed);
  assumed.nominated = node;
  assumed.is_unwritten = false;
}

PackedPod AssumeCache::believed(const AssumedPod& assumed) {
  Pod pod = assumed.shown.unpacked();
  if (assumed.node) pod.node = *assumed.node;
  if (assumed.nominated) pod.nominated_node = *assumed.nominated;
  return PackedPod::packed(pod);
}

PackedPod AssumeCache::applied(PackedPod shown, bool is_being_written) {
  const auto at = made_.find(shown.key());
  if (at == made_.end()) return shown;
  AssumedPod& assumed = at->second;
  // Once the pod has a node, nothing is assumed any more.
  if (assumed.uid != shown.uid() || !shown.node().empty()) {
    made_.erase(at);
    return shown;
  }
  assumed.shown = std::move(shown);
  if (!is_being_written && shows_nomination(assumed)) assumed.nominated.reset();
  if (assumed.node || assumed.nominated) return believed(assumed);
  PackedPod as_shown = std::move(assumed.shown);
  made_.erase(at);
  return as_shown;
}

bool AssumeCache::shows_nomination(const AssumedPod& assumed) {
  return assumed.nominated && assumed.shown.unpacked().nominated_node == *assumed.nominated;
}

void AssumeCache::all_written(std::string_view key, std::string_view uid) {
  const auto at = made_.find(key);
  if (at == made_.end() || at->second.uid != uid || !shows_nomination(at->second)) return;
  at->second.nominated.reset();
  if (!at->second.node) made_.erase(at);
}

PackedPod AssumeCache::without(Made::iterator assumed) {
  PackedPod pod = believed(assumed->second);
  if (!assumed->second.node && !assumed->second.nominated) made_.erase(assumed);
  return pod;
}

std::optional<PackedPod> AssumeCache::take_back_binding(std::string_view key) {
  const auto at = made_.find(key);
  if (at == made_.end() || !at->second.node) return std::nullopt;
  at->second.node.reset();
  return without(at);
}

std::optional<PackedPod> AssumeCache::take_back_nomination(std::string_view key) {
  const auto at = made_.find(key);
  if (at == made_.end() || !at->second.nominated) return std::nullopt;
  at->second.nominated.reset();
  return without(at);
}

void AssumeCache::not_written(std::string_view key, std::string_view uid,
                              std::string_view nominated) {
  const auto at = made_.find(key);
  if (at == made_.end() || at->second.uid != uid) return;
  if (at->second.nominated == nominated) at->second.is_unwritten = true;
}

std::optional<std::string> AssumeCache::take_unwritten(std::string_view key, std::string_view uid) {
  const auto at = made_.find(key);
  if (at == made_.end() || at->second.uid != uid || !at->second.nominated) return std::nullopt;
  if (!std::exchange(at->second.is_unwritten, false)) return std::nullopt;
  return at->second.nominated;
}

void AssumeCache::forget(std::string_view key) {
  if (const auto at = made_.find(key); at != made_.end()) made_.erase(at);
}

bool AssumeCache::is_binding(std::string_view key) const {
  const auto at = made_.find(key);
  return at != made_.end() && at->second.node.has_value();
}

std::string AssumeCache::bound_to(std::string_view key, std::string_view uid) const {
  const auto at = made_.find(key);
  if (at == made_.end() || at->second.uid != uid) return "";
  return at->second.node.value_or("");
}

}  // namespace elbowroom::scheduler
