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
  Set& set = *sets.insert(place, Set{.at = at, .number = ++last_set_});
  due_after_window(sets_due_, preemptor_uid, sets.front().at);
  return set;
}

void Breaker::due_after_window(DueTimes& due, const std::string& name, Time oldest) {
  due.set(name, oldest + limits_.window);
}

void Breaker::note(const std::string& preemptor_uid, const std::string& node,
                   const std::vector<std::string>& victim_uids, Time now) {
  if (not_noted(node, victim_uids) == 0) return;
  Sets& sets = sets_[preemptor_uid];
  Set& set = sets.emplace_back(Set{.at = now, .number = ++last_set_});
  due_after_window(sets_due_, preemptor_uid, sets.front().at);
  Losses& losses = losses_[node];
  for (const std::string& uid : victim_uids) {
    if (is_noted(node, uid)) continue;
    losses.push_back({.at = now, .uid = uid, .preemptor = preemptor_uid, .set = set.number});
    ++set.victims;
  }
  due_after_window(losses_due_, node, losses.front().at);
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
  due_after_window(losses_due_, node, losses.front().at);
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
  forget_oldest(sets_, sets_due_, now);
  forget_oldest(losses_, losses_due_, now);
}

template <class All>
void Breaker::forget_oldest(All& all, DueTimes& due, Time now) {
  for (const std::string& name : due.take_due(now)) {
    const auto at = all.find(name);
    if (at == all.end()) continue;
    auto& times = at->second;
    while (!times.empty() && times.front().at + limits_.window <= now) times.pop_front();
    if (times.empty()) {
      all.erase(at);
    } else {
      due_after_window(due, name, times.front().at);
    }
  }
}

}  // namespace elbowroom::scheduler
