#include "scheduler/breaker/circuit_breaker.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace elbowroom::scheduler {

namespace {

// When that was on the reactor's clock. Later rather than earlier: what was counted holds longer.
CircuitBreaker::Time time_of(policy::Time at, policy::Time date, CircuitBreaker::Time now) {
  using Time = CircuitBreaker::Time;
  return now -
         std::max(Time(0), std::chrono::floor<Time>(date - at) - CircuitBreaker::kClocksDiffer);
}

}  // namespace

const CircuitBreaker::Loss* CircuitBreaker::loss_of(std::string_view node,
                                                    std::string_view victim) const {
  const auto lost = losses_.find(node);
  if (lost == losses_.end()) return nullptr;
  const auto loss = std::ranges::find(lost->second, victim, &Loss::victim);
  return loss == lost->second.end() ? nullptr : &*loss;
}

std::vector<std::string> CircuitBreaker::unnoted(std::string_view preemptor_uid,
                                                 std::string_view node,
                                                 std::span<const std::string> victim_uids) const {
  const std::string preemptor = short_name(preemptor_uid);
  const std::string where = short_name(node);
  std::vector<std::string> unnoted;
  for (const std::string& uid : victim_uids) {
    const Loss* loss = loss_of(where, short_name(uid));
    if (loss == nullptr || loss->preemptor != preemptor) unnoted.push_back(uid);
  }
  return unnoted;
}

std::optional<CircuitBreaker::Answer> CircuitBreaker::allowed_at(
    std::string_view preemptor_uid, std::string_view node, std::span<const std::string> victim_uids,
    Time now) const {
  Answer answer{.for_pod = now, .for_node = now};
  const std::vector<std::string> unnoted = this->unnoted(preemptor_uid, node, victim_uids);
  if (unnoted.empty()) return answer;  // a set that has begun already
  const std::string where = short_name(node);
  auto counted = static_cast<std::size_t>(std::ranges::count_if(
      unnoted, [&](const auto& uid) { return loss_of(where, short_name(uid)) == nullptr; }));
  if (counted > limits_.pods_per_node) return std::nullopt;
  // Unknown removals leave room for one set.
  const Time unknown_until = unknown_before_ ? *unknown_before_ + limits_.window : now;
  const auto is_one = [&](const auto& all) { return all.back().at >= *unknown_before_; };
  if (const auto sets = sets_.find(short_name(preemptor_uid)); sets != sets_.end()) {
    const Sets& all = sets->second;
    if (all.size() >= limits_.sets_per_pod) {
      answer.for_pod = std::max(now, all[all.size() - limits_.sets_per_pod].at + limits_.window);
    }
    if (unknown_until > now && is_one(all))
      answer.for_pod = std::max(answer.for_pod, unknown_until);
  }
  if (const auto lost = losses_.find(where); counted > 0 && lost != losses_.end()) {
    const Losses& all = lost->second;
    // The latest losses that leave room for this many more.
    for (auto each = all.rbegin(); each != all.rend(); ++each) {
      if (++counted <= limits_.pods_per_node) continue;
      answer.for_node = std::max(now, each->at + limits_.window);
      break;
    }
    if (unknown_until > now && is_one(all)) {
      answer.for_node = std::max(answer.for_node, unknown_until);
    }
  }
  return answer;
}

CircuitBreaker::Set& CircuitBreaker::new_set(const std::string& preemptor, Time at) {
  Sets& sets = sets_[preemptor];
  const auto place = std::ranges::upper_bound(sets, at, {}, &Set::at);
  Set& set = *sets.insert(place, Set{.at = at, .number = ++last_set_});
  due_after_window(sets_due_, preemptor, sets.front().at);
  return set;
}

// Returns the set of about that time, or a new one.
CircuitBreaker::Set& CircuitBreaker::set_of(const std::string& preemptor, Time at) {
  Sets& sets = sets_[preemptor];
  const auto is_it = [&](const Set& each) {
    return (each.at > at ? each.at - at : at - each.at) <= kOneSet;
  };
  if (const auto known = std::ranges::find_if(sets, is_it); known != sets.end()) return *known;
  return new_set(preemptor, at);
}

void CircuitBreaker::due_after_window(control::DeadlineQueue& due, const std::string& name,
                                      Time oldest) {
  due.set(name, oldest + limits_.window);
}

void CircuitBreaker::lose(const std::string& node, Loss loss) {
  Losses& losses = losses_[node];
  const auto place = std::ranges::upper_bound(losses, loss.at, {}, &Loss::at);
  losses.insert(place, std::move(loss));
  due_after_window(losses_due_, node, losses.front().at);
}

void CircuitBreaker::note(const std::string& preemptor_uid, const VictimsByNode& victims,
                          Time now) {
  const std::string preemptor = short_name(preemptor_uid);
  Set* set = nullptr;
  for (const auto& [node, uids] : victims) {
    for (const std::string& uid : unnoted(preemptor_uid, node, uids)) {
      forget(short_name(node), short_name(uid));
      if (set == nullptr) set = &new_set(preemptor, now);
      lose(short_name(node),
           {.at = now, .victim = short_name(uid), .preemptor = preemptor, .set = set->number});
      ++set->victims;
    }
  }
}

void CircuitBreaker::saw(const std::string& preemptor_uid, const std::string& node,
                         const std::string& victim_uid, Time at, Time now) {
  advance(now);
  const std::string where = short_name(node);
  const std::string victim = short_name(victim_uid);
  if (at + limits_.window <= now || loss_of(where, victim) != nullptr) return;
  const std::string preemptor = short_name(preemptor_uid);
  Set& set = set_of(preemptor, at);
  ++set.victims;
  lose(where, {.at = at, .victim = victim, .preemptor = preemptor, .set = set.number});
}

void CircuitBreaker::know_node(std::string_view name, std::string_view uid) {
  if (losses_.empty() || uid.empty()) return;
  const std::string from = short_name(name);
  const auto lost = losses_.find(from);
  if (lost == losses_.end()) return;
  const Losses losses = lost->second;
  const std::string to = short_name(uid);
  for (const Loss& each : losses) {
    if (loss_of(to, each.victim) != nullptr) {
      forget(from, each.victim);
    } else {
      lose(to, each);
    }
  }
  losses_.erase(from);
}

void CircuitBreaker::load(const CircuitBreakerRecord& record, policy::Time date, Time now) {
  advance(now);
  load_sets(record.sets, date, now);
  if (record.whole_since == policy::Time{}) return;
  const Time since = time_of(record.whole_since, date, now);
  if (since + limits_.window <= now) return;
  unknown_before_ = std::max(unknown_before_.value_or(since), since);
}

// Terminating victims may have been seen already. Then their grouping into sets was a guess; the
// record has the real one. Entries of one time and preemptor on different nodes are one set.
void CircuitBreaker::load_sets(const std::vector<CountedSet>& sets, policy::Time date, Time now) {
  struct Loaded {
    std::uint64_t number = 0;
    std::set<std::string> nodes{};
  };
  std::map<std::pair<std::string, policy::Time>, Loaded> loaded;
  for (const CountedSet& counted : sets) {
    const Time at = time_of(counted.at, date, now);
    if (at + limits_.window <= now) continue;
    for (const std::string& victim : counted.victims) forget(counted.node, victim);
    Loaded& known = loaded[{counted.preemptor, counted.at}];
    Set* set = known.nodes.contains(counted.node) ? nullptr : find(counted.preemptor, known.number);
    if (set == nullptr) {
      set = &new_set(counted.preemptor, at);
      known = {.number = set->number};
    }
    known.nodes.insert(counted.node);
    set->victims += counted.victims.size();
    for (const std::string& victim : counted.victims) {
      lose(counted.node,
           {.at = at, .victim = victim, .preemptor = counted.preemptor, .set = set->number});
    }
  }
}

CircuitBreaker::Set* CircuitBreaker::find(const std::string& preemptor, std::uint64_t number) {
  const auto sets = sets_.find(preemptor);
  if (sets == sets_.end()) return nullptr;
  const auto set = std::ranges::find(sets->second, number, &Set::number);
  return set == sets->second.end() ? nullptr : &*set;
}

void CircuitBreaker::forget(const std::string& node, const std::string& victim) {
  const auto lost = losses_.find(node);
  if (lost == losses_.end()) return;
  const auto loss = std::ranges::find(lost->second, victim, &Loss::victim);
  if (loss == lost->second.end()) return;
  if (const auto sets = sets_.find(loss->preemptor); sets != sets_.end()) {
    const auto set = std::ranges::find(sets->second, loss->set, &Set::number);
    if (set != sets->second.end() && --set->victims == 0) sets->second.erase(set);
    if (sets->second.empty()) sets_.erase(sets);
  }
  lost->second.erase(loss);
  if (lost->second.empty()) losses_.erase(lost);
}

void CircuitBreaker::take_back(const std::string& node, const std::string& victim_uid) {
  forget(short_name(node), short_name(victim_uid));
}

void CircuitBreaker::advance(Time now) {
  forget_oldest(sets_, sets_due_, now);
  forget_oldest(losses_, losses_due_, now);
}

template <class All>
void CircuitBreaker::forget_oldest(All& all, control::DeadlineQueue& due, Time now) {
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
