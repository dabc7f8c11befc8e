#include "scheduler/waiting/queue.h"

#include <algorithm>
#include <utility>

#include "base/backoff.h"
#include "control/jitter.h"

namespace elbowroom::scheduler {

Queue::ActiveKey Queue::key_of(const Items::value_type& item) {
  return {-std::int64_t{item.second.priority}, item.second.since, item.first};
}

// Removes the item from its present index.
void Queue::leave(Items::value_type& item) {
  switch (item.second.where) {
    case Where::Active:
      active_.erase(key_of(item));
      break;
    case Where::Backoff:
    case Where::Parked:
      due_.erase({item.second.due, item.first});
      for (unsigned bit = 0; bit < by_requeue_hint_.size(); ++bit) {
        if (item.second.anywhere.has_bit(bit)) by_requeue_hint_[bit].erase(item.first);
      }
      if (!item.second.signature.empty()) unplaced_.leave(item.second.signature, item.first);
      item.second.signature.clear();
      item.second.anywhere = {};
      item.second.is_woken = false;
      break;
    case Where::InFlight:
      break;
  }
}

void Queue::activate(Items::value_type& item, Cause cause, Time now) {
  leave(item);
  item.second.where = Where::Active;
  item.second.cause = cause;
  item.second.since = now;
  active_.insert(key_of(item));
}

void Queue::wait_until(Items::value_type& item, Time due) {
  item.second.due = due;
  due_.emplace(due, item.first);
}

void Queue::add(const std::string& id, const std::string& node, std::int32_t priority, Time now) {
  const auto [at, is_new] = items_.try_emplace(id, Item{.priority = priority, .since = now});
  if (is_new) {
    active_.insert(key_of(*at));
    if (!node.empty()) move_to(*at, {node});
    return;
  }
  const bool is_active = at->second.where == Where::Active;
  if (is_active) active_.erase(key_of(*at));
  at->second.priority = priority;
  if (is_active) active_.insert(key_of(*at));
}

void Queue::remove(std::string_view id) {
  const auto at = items_.find(id);
  if (at == items_.end()) return;
  leave(*at);
  move_to(*at, {});
  items_.erase(at);
}

namespace {

// 1,000 times the square root, rounded down.
std::int64_t milli_root(std::size_t of) {
  const auto wanted = static_cast<std::int64_t>(std::min<std::size_t>(of, 1'000'000)) * 1'000'000;
  std::int64_t low = 0;
  std::int64_t high = 1'000'001;
  while (low + 1 < high) {
    const std::int64_t middle = low + (high - low) / 2;
    (middle * middle <= wanted ? low : high) = middle;
  }
  return std::max<std::int64_t>(low, 1'000);
}

}  // namespace

void Queue::set_size(std::string_view id, std::size_t pods) {
  const auto at = items_.find(id);
  if (at == items_.end()) return;
  at->second.longest = kLongestBackoff * milli_root(pods) / 1'000;
}

void Queue::move_to(Items::value_type& item, const std::set<std::string>& nodes) {
  if (item.second.nodes == nodes) return;
  for (const std::string& node : item.second.nodes) {
    const auto at = by_node_.find(node);
    at->second.erase(item.first);
    if (at->second.empty()) by_node_.erase(at);
  }
  item.second.nodes = nodes;
  for (const std::string& node : nodes) by_node_[node].insert(item.first);
}

std::optional<Queue::Popped> Queue::pop() {
  if (active_.empty()) return std::nullopt;
  const auto at = items_.find(std::get<std::string>(*active_.begin()));
  active_.erase(active_.begin());
  at->second.where = Where::InFlight;
  at->second.missed = {};
  at->second.has_news = false;
  at->second.told_until = changes_;
  return Popped{at->first, at->second.cause};
}

void Queue::park(std::string_view id, cluster::Changes requeue_hints, std::optional<Time> deadline,
                 Time now) {
  const auto at = items_.find(id);
  if (at == items_.end()) return;
  leave(*at);
  Item& item = at->second;
  item.failures = 0;
  item.requeue_hints = requeue_hints;
  if (item.where == Where::InFlight && item.missed.intersects(requeue_hints)) {
    activate(*at, Cause::Change, now);
    return;
  }
  put_to_rest(*at, deadline, now);
}

void Queue::put_to_rest(Items::value_type& item, std::optional<Time> deadline, Time now) {
  item.second.where = Where::Parked;
  const Time flush = now + kFlushAfter;
  item.second.due_is_flush = !deadline || *deadline > flush;
  wait_until(item, item.second.due_is_flush ? flush : *deadline);
}

void Queue::park(std::string_view id, const Wish& wish, Time now) {
  const auto at = items_.find(id);
  if (at == items_.end()) return;
  leave(*at);
  Item& item = at->second;
  const bool was_in_flight = item.where == Where::InFlight;
  item.failures = 0;
  item.requeue_hints = wish.there;
  item.anywhere = wish.anywhere;
  item.signature = wish.signature;
  item.rested = now + backoff_delay(kFirstBackoff, kLongestBackoff, item.turns_in_vain++);
  if (was_in_flight && item.nodes == wish.nodes && item.missed.intersects(wish.there)) {
    item.anywhere = {};
    item.signature.clear();
    activate(*at, Cause::Change, now);
    return;
  }
  move_to(*at, wish.nodes);
  const bool missed = was_in_flight && (item.has_news || has_missed(item));
  put_to_rest(*at, wish.deadline, now);
  wait_anywhere(*at);
  if (missed) wake_from_anywhere(*at, now);
}

// True if a change that could help happened on any node while the pod was in flight.
bool Queue::has_missed(const Item& item) const {
  for (unsigned bit = 0; bit < latest_.size(); ++bit) {
    if (item.anywhere.has_bit(bit) && latest_[bit] > item.told_until) return true;
  }
  return false;
}

void Queue::wait_anywhere(const Items::value_type& item) {
  const std::string& signature = item.second.signature;
  if (!signature.empty() && unplaced_.park(signature, item.first)) return;
  for (unsigned bit = 0; bit < by_requeue_hint_.size(); ++bit) {
    if (item.second.anywhere.has_bit(bit)) by_requeue_hint_[bit].insert(item.first);
  }
}

// At once, or when its backoff ends.
void Queue::wake_from_anywhere(Items::value_type& item, Time now) {
  if (item.second.is_woken) return;
  if (now >= item.second.rested) return activate(item, Cause::Change, now);
  const Time due = std::min(item.second.rested, item.second.due);
  leave(item);
  item.second.where = Where::Backoff;
  item.second.due_is_flush = false;
  item.second.is_woken = true;
  wait_until(item, due);
}

void Queue::look_by(std::string_view id, Time due) {
  const auto at = items_.find(id);
  if (at == items_.end() || at->second.where != Where::Parked || at->second.due <= due) return;
  due_.erase({at->second.due, at->first});
  at->second.due_is_flush = false;
  wait_until(*at, due);
}

void Queue::retry(std::string_view id, std::string_view uid, Time wish, Time now) {
  const auto at = items_.find(id);
  if (at == items_.end()) return;
  leave(*at);
  Item& item = at->second;
  item.where = Where::Backoff;
  item.requeue_hints = {};  // an error does not depend on a node
  item.due_is_flush = false;
  const Time usual = backoff_delay(kFirstBackoff, item.longest, item.failures);
  const Time delay = std::max(usual, std::min(wish, kLongestServerDelay));
  wait_until(*at, now + control::with_jitter(delay, uid, item.failures++));
}

void Queue::take_note(Items::value_type& item, cluster::Changes what, Time now) {
  Item& of = item.second;
  if (of.where == Where::InFlight) of.missed |= what;
  const bool waits = of.where == Where::Parked || (of.where == Where::Backoff && of.is_woken);
  if (waits && of.requeue_hints.intersects(what)) activate(item, Cause::Change, now);
}

void Queue::wake(std::string_view node, cluster::Changes what, Time now, std::string_view but) {
  if (what.empty()) return;
  if (const auto ids = by_node_.find(node); ids != by_node_.end()) {
    for (const std::string& id : ids->second) {
      if (id != but) take_note(*items_.find(id), what, now);
    }
  }
  wake_anywhere(what, now, but);
}

void Queue::wake_anywhere(cluster::Changes what, Time now, std::string_view but) {
  ++changes_;
  if (const auto at = items_.find(but); at != items_.end()) {
    if (at->second.told_until + 1 == changes_) at->second.told_until = changes_;
  }
  for (unsigned bit = 0; bit < by_requeue_hint_.size(); ++bit) {
    if (!what.has_bit(bit)) continue;
    latest_[bit] = changes_;
    const std::vector<std::string> ids(by_requeue_hint_[bit].begin(), by_requeue_hint_[bit].end());
    for (const std::string& id : ids) {
      if (id != but) wake_from_anywhere(*items_.find(id), now);
    }
  }
}

void Queue::wake_one(std::string_view id, cluster::Changes what, Time now) {
  const auto at = items_.find(id);
  if (at == items_.end()) return;
  if (what.intersects(cluster::Change::Own)) at->second.turns_in_vain = 0;
  take_note(*at, what, now);
}

void Queue::wake_later(std::string_view id, Time now) {
  const auto at = items_.find(id);
  if (at == items_.end()) return;
  if (at->second.where == Where::InFlight) at->second.has_news = true;
  if (at->second.where == Where::Parked) wake_from_anywhere(*at, now);
}

void Queue::advance(Time now) {
  while (!due_.empty() && due_.begin()->first <= now) {
    const auto at = items_.find(due_.begin()->second);
    const Item& item = at->second;
    const Cause cause = item.is_woken                  ? Cause::Change
                        : item.where == Where::Backoff ? Cause::Backoff
                        : item.due_is_flush            ? Cause::Flush
                                                       : Cause::Deadline;
    activate(*at, cause, now);
  }
}

std::optional<Queue::Time> Queue::next() const {
  return due_.empty() ? std::nullopt : std::optional(due_.begin()->first);
}

std::optional<Queue::Where> Queue::where(std::string_view id) const {
  const auto at = items_.find(id);
  return at == items_.end() ? std::nullopt : std::optional(at->second.where);
}

std::size_t Queue::count(Where where) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(items_, [&](const auto& item) { return item.second.where == where; }));
}

bool Queue::waits_for(std::string_view node, cluster::Changes what) const {
  const auto ids = by_node_.find(node);
  if (ids == by_node_.end()) return false;
  return std::ranges::any_of(ids->second, [&](const std::string& id) {
    const Item& item = items_.find(id)->second;
    return item.where == Where::InFlight ||
           (item.where == Where::Parked && item.requeue_hints.intersects(what));
  });
}

void Queue::each_node(const std::function<void(const std::string& node)>& use) const {
  for (const auto& [node, ids] : by_node_) use(node);
}

}  // namespace elbowroom::scheduler
