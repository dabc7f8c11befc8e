#include "scheduler/breaker.h"

#include <algorithm>

namespace elbowroom::scheduler {

std::size_t Breaker::not_noted(std::string_view node,
                               std::span<const std::string> victim_uids) const {
  const auto lost = losses_.find(node);
  if (lost == losses_.end()) return victim_uids.size();
  return static_cast<std::size_t>(std::ranges::count_if(victim_uids, [&](const std::string& uid) {
    return std::ranges::find(lost->second, uid, &Loss::uid) == lost->second.end();
  }));
}

std::optional<Breaker::Time> Breaker::allowed_at(std::string_view preemptor_uid,
                                                 std::string_view node,
                                                 std::span<const std::string> victim_uids,
                                                 Time now) const {
  std::size_t counted = not_noted(node, victim_uids);
  if (counted == 0) return now;  // a set that was begun
  if (counted > limits_.pods_per_node) return std::nullopt;
  Time at = now;
  if (const auto sets = sets_.find(preemptor_uid); sets != sets_.end()) {
    const auto& times = sets->second;
    if (times.size() >= limits_.sets_per_pod) {
      at = std::max(at, times[times.size() - limits_.sets_per_pod] + limits_.window);
    }
  }
  if (const auto lost = losses_.find(node); lost != losses_.end()) {
    // The newest losses that leave room for so many more.
    for (auto each = lost->second.rbegin(); each != lost->second.rend(); ++each) {
      if (++counted <= limits_.pods_per_node) continue;
      at = std::max(at, each->at + limits_.window);
      break;
    }
  }
  return at;
}

void Breaker::note(const std::string& preemptor_uid, const std::string& node,
                   const std::vector<std::string>& victim_uids, Time now) {
  if (not_noted(node, victim_uids) == 0) return;
  sets_[preemptor_uid].push_back(now);
  std::deque<Loss>& losses = losses_[node];
  for (const std::string& uid : victim_uids) {
    if (std::ranges::find(losses, uid, &Loss::uid) == losses.end()) losses.push_back({now, uid});
  }
}

void Breaker::advance(Time now) {
  const Time oldest = now - limits_.window;
  for (auto& [uid, times] : sets_) {
    while (!times.empty() && times.front() <= oldest) times.pop_front();
  }
  for (auto& [node, losses] : losses_) {
    while (!losses.empty() && losses.front().at <= oldest) losses.pop_front();
  }
  std::erase_if(sets_, [](const auto& entry) { return entry.second.empty(); });
  std::erase_if(losses_, [](const auto& entry) { return entry.second.empty(); });
}

}  // namespace elbowroom::scheduler
