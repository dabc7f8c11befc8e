#include "scheduler/breaker.h"

#include <algorithm>

namespace elbowroom::scheduler {

Breaker::Time Breaker::allowed_at(std::string_view preemptor_uid, std::string_view node,
                                  std::size_t victims, Time now) const {
  Time at = now;
  if (const auto sets = sets_.find(preemptor_uid); sets != sets_.end()) {
    const auto& times = sets->second;
    if (times.size() >= limits_.sets_per_pod) {
      at = std::max(at, times[times.size() - limits_.sets_per_pod] + limits_.window);
    }
  }
  if (const auto lost = losses_.find(node); lost != losses_.end()) {
    // The newest losses that leave room for so many more.
    std::size_t counted = std::min(victims, limits_.pods_per_node);
    for (auto each = lost->second.rbegin(); each != lost->second.rend(); ++each) {
      counted += each->pods;
      if (counted <= limits_.pods_per_node) continue;
      at = std::max(at, each->at + limits_.window);
      break;
    }
  }
  return at;
}

void Breaker::note(const std::string& preemptor_uid, const std::string& node, std::size_t victims,
                   Time now) {
  sets_[preemptor_uid].push_back(now);
  losses_[node].push_back({now, victims});
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
