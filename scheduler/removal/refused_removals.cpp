#include "scheduler/removal/refused_removals.h"

#include <algorithm>
#include <utility>

#include "base/backoff.h"

namespace elbowroom::scheduler {
namespace {

// Reasons are part of events and answers.
constexpr std::size_t kLongestReason = 256;

// Compares what a webhook or a policy may check. The status, which has our marks, is not part of
// it.
bool is_another_object(const policy::Pod& before, const policy::Pod& after) {
  return before.uid != after.uid || before.labels != after.labels ||
         before.generation != after.generation || before.controller != after.controller;
}

}  // namespace

RefusedRemovals::Time RefusedRemovals::wait_after(unsigned times) {
  return backoff_delay(kFirst, kLongest, times == 0 ? 0 : times - 1);
}

void RefusedRemovals::refused(const policy::Pod& pod, std::string why, Time now) {
  Refused& entry = by_node_[pod.node][pod.uid];
  if (why.size() > kLongestReason) why = why.substr(0, kLongestReason) + "...";
  entry.key = policy::key_of(pod);
  entry.uid = pod.uid;
  entry.node = pod.node;
  entry.why = std::move(why);
  entry.until = now + wait_after(++entry.times);
}

void RefusedRemovals::saw(const policy::Pod* before, const policy::Pod* after) {
  if (before == nullptr || by_node_.empty()) return;
  if (after != nullptr && !is_another_object(*before, *after)) return;
  const auto node = by_node_.find(before->node);
  if (node == by_node_.end()) return;
  node->second.erase(before->uid);
  if (node->second.empty()) by_node_.erase(node);
}

bool RefusedRemovals::holds(std::string_view uid, Time now) const {
  return std::ranges::any_of(by_node_, [&](const auto& node) {
    const auto at = node.second.find(uid);
    return at != node.second.end() && at->second.until > now;
  });
}

policy::Unremovable RefusedRemovals::on(std::string_view node, Time now) const {
  policy::Unremovable all;
  const auto at = by_node_.find(node);
  if (at == by_node_.end()) return all;
  for (const auto& [uid, each] : at->second) {
    if (each.until > now) all.emplace(uid, "the API server refused its removal: " + each.why);
  }
  return all;
}

std::vector<RefusedRemovals::Refused> RefusedRemovals::told(std::string_view node, Time now) const {
  std::vector<Refused> all;
  const auto at = by_node_.find(node);
  if (at == by_node_.end()) return all;
  for (const auto& [uid, each] : at->second) {
    if (each.until > now) all.push_back(each);
  }
  std::ranges::sort(all, {}, &Refused::key);
  return all;
}

std::optional<RefusedRemovals::Time> RefusedRemovals::next(std::string_view node, Time now) const {
  std::optional<Time> next;
  for (const Refused& each : told(node, now))
    next = std::min(next.value_or(each.until), each.until);
  return next;
}

std::set<std::string, std::less<>> RefusedRemovals::uids(Time now) const {
  std::set<std::string, std::less<>> uids;
  for (const auto& [node, pods] : by_node_) {
    for (const auto& [uid, each] : pods) {
      if (each.until > now) uids.insert(uid);
    }
  }
  return uids;
}

std::optional<RefusedRemovals::Time> RefusedRemovals::next_anywhere(Time now) const {
  std::optional<Time> next;
  for (const auto& [node, pods] : by_node_) {
    for (const auto& [uid, each] : pods) {
      if (each.until > now) next = std::min(next.value_or(each.until), each.until);
    }
  }
  return next;
}

std::size_t RefusedRemovals::held(Time now) const {
  std::size_t count = 0;
  for (const auto& [node, uids] : by_node_) {
    count += static_cast<std::size_t>(
        std::ranges::count_if(uids, [&](const auto& each) { return each.second.until > now; }));
  }
  return count;
}

}  // namespace elbowroom::scheduler
