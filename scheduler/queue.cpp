#include "scheduler/queue.h"

#include <algorithm>
#include <utility>

#include "scheduler/jitter.h"

namespace elbowroom::scheduler {

Queue::ActiveKey Queue::key_of(const Items::value_type& item) {
  return {-std::int64_t{item.second.priority}, item.second.since, item.first};
}

// Out of whatever index it stands in.
void Queue::leave(Items::value_type& item) {
  switch (item.second.where) {
    case Where::Active:
      active_.erase(key_of(item));
      break;
    case Where::Backoff:
    case Where::Parked:
      due_.erase({item.second.due, item.first});
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
  const auto [at, is_new] =
      items_.try_emplace(id, Item{.node = node, .priority = priority, .since = now});
  if (is_new) {
    active_.insert(key_of(*at));
    by_node_[node].insert(id);
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
  const auto node = by_node_.find(at->second.node);
  node->second.erase(at->first);
  if (node->second.empty()) by_node_.erase(node);
  items_.erase(at);
}

std::optional<Queue::Popped> Queue::pop() {
  if (active_.empty()) return std::nullopt;
  const auto at = items_.find(std::get<std::string>(*active_.begin()));
  active_.erase(active_.begin());
  at->second.where = Where::InFlight;
  at->second.missed = {};
  return Popped{at->first, at->second.cause};
}

void Queue::park(std::string_view id, cluster::Changes cures, std::optional<Time> deadline,
                 Time now) {
  const auto at = items_.find(id);
  if (at == items_.end()) return;
  leave(*at);
  Item& item = at->second;
  item.failures = 0;
  item.cures = cures;
  if (item.where == Where::InFlight && item.missed.intersects(cures)) {
    activate(*at, Cause::Change, now);
    return;
  }
  item.where = Where::Parked;
  const Time flush = now + kFlushAfter;
  item.due_is_flush = !deadline || *deadline > flush;
  wait_until(*at, item.due_is_flush ? flush : *deadline);
}

void Queue::retry(std::string_view id, std::string_view uid, Time wish, Time now) {
  const auto at = items_.find(id);
  if (at == items_.end()) return;
  leave(*at);
  Item& item = at->second;
  item.where = Where::Backoff;
  item.due_is_flush = false;
  const Time usual = kFirstBackoff * (1U << std::min(item.failures, 4U));
  const Time delay = std::max(std::min(usual, kLongestBackoff), std::min(wish, kLongestWish));
  wait_until(*at, now + with_jitter(delay, uid, item.failures++));
}

void Queue::take_note(Items::value_type& item, cluster::Changes what, Time now) {
  if (item.second.where == Where::InFlight) item.second.missed |= what;
  if (item.second.where == Where::Parked && item.second.cures.intersects(what)) {
    activate(item, Cause::Change, now);
  }
}

void Queue::wake(std::string_view node, cluster::Changes what, Time now) {
  const auto ids = by_node_.find(node);
  if (ids == by_node_.end() || what.empty()) return;
  for (const std::string& id : ids->second) take_note(*items_.find(id), what, now);
}

void Queue::wake_one(std::string_view id, cluster::Changes what, Time now) {
  const auto at = items_.find(id);
  if (at != items_.end()) take_note(*at, what, now);
}

void Queue::advance(Time now) {
  while (!due_.empty() && due_.begin()->first <= now) {
    const auto at = items_.find(due_.begin()->second);
    const Item& item = at->second;
    const Cause cause = item.where == Where::Backoff ? Cause::Backoff
                        : item.due_is_flush          ? Cause::Flush
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

std::vector<std::string> Queue::nodes_waiting_for(cluster::Changes what) const {
  std::vector<std::string> nodes;
  for (const auto& [node, ids] : by_node_) {
    const bool waits = std::ranges::any_of(ids, [&](const std::string& id) {
      const Item& item = items_.find(id)->second;
      return item.where == Where::InFlight ||
             (item.where == Where::Parked && item.cures.intersects(what));
    });
    if (waits) nodes.push_back(node);
  }
  return nodes;
}

}  // namespace elbowroom::scheduler
