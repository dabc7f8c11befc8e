#include "scheduler/breaker.h"

#include <algorithm>

namespace elbowroom::scheduler {

bool Breaker::is_noted(std::string_view node, std::string_view uid) const {
  const auto lost = losses_.find(node);
  return lost != losses_.end() &&
         std::ranges::find(lost->second, uid, &Loss::uid) != lost->second.end();
}

std::size_t Breaker::not_noted(std::string_view node,
                               std::span<const std::string> victim_uids) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      victim_uids, [&](const std::string& uid) { return !is_noted(node, uid); }));
}

std::optional<Breaker::Answer> Breaker::allowed_at(std::string_view preemptor_uid,
                                                   std::string_view node,
                                                   std::span<const std::string> victim_uids,
                                                   Time now) const {
  Answer answer{.for_pod = now, .for_node = now};
  std::size_t counted = not_noted(node, victim_uids);
  if (counted == 0) return answer;  // a set that was begun
  if (counted > limits_.pods_per_node) return std::nullopt;
  if (const auto sets = sets_.find(preemptor_uid); sets != sets_.end()) {
    const Sets& all = sets->second;
    if (all.size() >= limits_.sets_per_pod) {
      answer.for_pod = std::max(now, all[all.size() - limits_.sets_per_pod].at + limits_.window);
    }
  }
  if (const auto lost = losses_.find(node); lost != losses_.end()) {
    // The newest losses that leave room for so many more.
    for (auto each = lost->second.rbegin(); each != lost->second.rend(); ++each) {
      if (++counted <= limits_.pods_per_node) continue;
      answer.for_node = std::max(now, each->at + limits_.window);
      break;
    }
  }
  return answer;
}

// The one of about that time, or another one.
Breaker::Set& Breaker::set_of(const std::string& preemptor_uid, Time at) {
  Sets& sets = sets_[preemptor_uid];
  const auto is_it = [&](const Set& each) {
    return (each.at > at ? each.at - at : at - each.at) <= kOneSet;
  };
  if (const auto known = std::ranges::find_if(sets, is_it); known != sets.end()) return *known;
  const auto place = std::ranges::upper_bound(sets, at, {}, &Set::at);
  return *sets.insert(place, Set{.at = at, .number = ++last_set_});
}

void Breaker::note(const std::string& preemptor_uid, const std::string& node,
                   const std::vector<std::string>& victim_uids, Time now) {
  if (not_noted(node, victim_uids) == 0) return;
  Set& set = sets_[preemptor_uid].emplace_back(Set{.at = now, .number = ++last_set_});
  Losses& losses = losses_[node];
  for (const std::string& uid : victim_uids) {
    if (is_noted(node, uid)) continue;
    losses.push_back({.at = now, .uid = uid, .preemptor = preemptor_uid, .set = set.number});
    ++set.victims;
  }
}

void Breaker::saw(const std::string& preemptor_uid, const std::string& node,
                  const std::string& victim_uid, Time at, Time now) {
  advance(now);
  if (at + limits_.window <= now || is_noted(node, victim_uid)) return;
  Set& set = set_of(preemptor_uid, at);
  ++set.victims;
  Losses& losses = losses_[node];
  losses.insert(std::ranges::upper_bound(losses, at, {}, &Loss::at),
                {.at = at, .uid = victim_uid, .preemptor = preemptor_uid, .set = set.number});
}

void Breaker::take_back(const std::string& node, const std::string& victim_uid) {
  const auto lost = losses_.find(node);
  if (lost == losses_.end()) return;
  const auto loss = std::ranges::find(lost->second, victim_uid, &Loss::uid);
  if (loss == lost->second.end()) return;
  if (const auto sets = sets_.find(loss->preemptor); sets != sets_.end()) {
    const auto set = std::ranges::find(sets->second, loss->set, &Set::number);
    if (set != sets->second.end() && --set->victims == 0) sets->second.erase(set);
    if (sets->second.empty()) sets_.erase(sets);
  }
  lost->second.erase(loss);
  if (lost->second.empty()) losses_.erase(lost);
}

void Breaker::advance(Time now) {
  const Time oldest = now - limits_.window;
  for (auto& [uid, sets] : sets_) {
    while (!sets.empty() && sets.front().at <= oldest) sets.pop_front();
  }
  for (auto& [node, losses] : losses_) {
    while (!losses.empty() && losses.front().at <= oldest) losses.pop_front();
  }
  std::erase_if(sets_, [](const auto& entry) { return entry.second.empty(); });
  std::erase_if(losses_, [](const auto& entry) { return entry.second.empty(); });
}

}  // namespace elbowroom::scheduler
