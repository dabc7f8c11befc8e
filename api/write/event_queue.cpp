#include "api/write/event_queue.h"

#include <algorithm>
#include <array>

namespace elbowroom::api {
namespace {

// More of a note is never written, whatever its encoding.
constexpr std::size_t kLongestNote = 2048;

// Overhead of the maps and the heap.
constexpr std::size_t kBesidesText = 260;

// No API text contains this character.
constexpr char kEnd = '\0';

void append(std::string& to, std::string_view part) {
  to += part;
  to += kEnd;
}

std::string_view take_part(std::string_view& from) {
  const std::size_t end = std::min(from.find(kEnd), from.size());
  const std::string_view part = from.substr(0, end);
  from.remove_prefix(std::min(end + 1, from.size()));
  return part;
}

void append(std::string& to, const EventObject& object) {
  for (const std::string* part :
       {&object.api_version, &object.kind, &object.ref.ns, &object.ref.name, &object.ref.uid}) {
    append(to, *part);
  }
}

EventObject take_object(std::string_view& from) {
  EventObject object;
  for (std::string* part :
       {&object.api_version, &object.kind, &object.ref.ns, &object.ref.name, &object.ref.uid}) {
    *part = take_part(from);
  }
  return object;
}

}  // namespace

EventQueue::Key EventQueue::key_of(const EventNote& note) {
  Key key;
  append(key, note.regarding);
  append(key, note.reason);
  return key;
}

std::size_t EventQueue::bytes_of(const Events::value_type& event) {
  return event.first.size() + event.second.rest.size() + kBesidesText;
}

QueuedEvent EventQueue::unpacked(const Events::value_type& event) {
  const Waiting& waiting = event.second;
  QueuedEvent made{.wall = waiting.wall, .times = waiting.times};
  std::string_view key = event.first;
  std::string_view rest = waiting.rest;
  made.note.regarding = take_object(key);
  made.note.reason = take_part(key);
  made.note.severity = waiting.severity;
  made.note.rank = waiting.rank;
  made.note.once = waiting.once;
  if (waiting.has_related) made.note.related = take_object(rest);
  made.note.action = take_part(rest);
  made.note.note = rest;
  return made;
}

bool EventQueue::is_full() const {
  return events_.size() > options_.max_events || bytes_ > options_.max_bytes;
}

EventQueue::Lost EventQueue::add(EventNote note, policy::Time wall) {
  if (note.note.size() > kLongestNote) note.note.resize(kLongestNote);
  Waiting waiting{.wall = wall,
                  .severity = note.severity,
                  .rank = note.rank,
                  .once = note.once,
                  .has_related = note.related.has_value()};
  if (note.related) append(waiting.rest, *note.related);
  append(waiting.rest, note.action);
  waiting.rest += note.note;

  Lost lost;
  Key key = key_of(note);
  if (const auto at = events_.find(key); at != events_.end()) {
    // Keeps its position: a frequent event is not delayed by its repetitions.
    const Waiting before = extract(at).mapped();
    waiting.number = before.number;
    waiting.not_before = before.not_before;
    if (before.rest == waiting.rest) {
      waiting.times = before.times + 1;
    } else {
      ++lost.superseded;
    }
  } else {
    waiting.number = ++last_number_;
  }
  insert(std::move(key), std::move(waiting));
  while (is_full() && !events_.empty()) {
    // Drops the newest of the least important. A postponed event has already been written often.
    const auto last =
        put_off_.empty() ? std::prev(ready_.end())->second : std::prev(put_off_.end())->second;
    static_cast<void>(extract(last));
    ++lost.dropped;
  }
  return lost;
}

std::optional<QueuedEvent> EventQueue::take(const Keys& busy, Clock::time_point now) {
  wake(now);
  for (const auto& [order, at] : ready_) {
    if (busy.contains(at->first)) continue;
    QueuedEvent event = unpacked(*at);
    static_cast<void>(extract(at));
    return event;
  }
  return std::nullopt;
}

void EventQueue::put_off(QueuedEvent event, Clock::time_point until) {
  const Key key = key_of(event.note);
  if (events_.contains(key)) return;
  static_cast<void>(add(std::move(event.note), event.wall));
  const auto at = events_.find(key);
  if (at == events_.end()) return;
  auto node = extract(at);
  node.mapped().times = event.times;
  node.mapped().not_before = until;
  insert(std::move(node.key()), std::move(node.mapped()));
}

std::optional<Clock::time_point> EventQueue::next() const {
  if (put_off_.empty()) return std::nullopt;
  return put_off_.begin()->first.first;
}

void EventQueue::insert(Key key, Waiting waiting) {
  const auto at = events_.emplace(std::move(key), std::move(waiting)).first;
  bytes_ += bytes_of(*at);
  const Waiting& is = at->second;
  if (is.not_before) {
    put_off_.emplace(std::pair(*is.not_before, is.number), at);
  } else {
    ready_.emplace(Order(is.rank, is.number), at);
  }
}

void EventQueue::wake(Clock::time_point now) {
  while (!put_off_.empty() && put_off_.begin()->first.first <= now) {
    const auto at = put_off_.begin()->second;
    put_off_.erase(put_off_.begin());
    at->second.not_before.reset();
    ready_.emplace(Order(at->second.rank, at->second.number), at);
  }
}

EventQueue::Events::node_type EventQueue::extract(Events::iterator at) {
  const Waiting& is = at->second;
  if (is.not_before) {
    put_off_.erase(std::pair(*is.not_before, is.number));
  } else {
    ready_.erase(Order(is.rank, is.number));
  }
  bytes_ -= bytes_of(*at);
  return events_.extract(at);
}

}  // namespace elbowroom::api
