#include "api/write/event_recorder.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "api/transport/status_error.h"

namespace elbowroom::api {
namespace {

constexpr int kTooManyRequests = 429;
constexpr int kServiceUnavailable = 503;

// With so many single failures, the events are not the cause.
constexpr std::size_t kMostAgain = 64;

constexpr std::size_t kMostCounts = 4096;

constexpr std::chrono::milliseconds kLongestServerDelay{60'000};

}  // namespace

EventRecorder::EventRecorder(Transport& transport, EventRecorderOptions options)
    : transport_(transport),
      options_(std::move(options)),
      fold_(options_.fold),
      backoff_(options_.retry, options_.seed),
      queue_(options_.queue) {}

void EventRecorder::record(EventNote note) {
  const EventQueue::Lost lost = queue_.add(std::move(note), transport_.wall());
  superseded_ += lost.superseded;
  dropped_ += lost.dropped;
  send_more();
}

void EventRecorder::finish(const std::function<void()>& alive) {
  constexpr Clock::duration kTurn = std::chrono::milliseconds(100);
  const Clock::time_point began = transport_.now();
  transport_.run_once(Clock::duration::zero());  // what was posted before the end
  while (queued() > 0) {
    const Clock::time_point now = transport_.now();
    const bool in_vain = now - std::max(began, written_at_) >= options_.finish_in_vain;
    if (in_vain || now - began >= options_.finish_within) break;
    alive();
    transport_.run_once(kTurn);
  }
  dropped_ += queued();
}

void EventRecorder::schedule_sweep() {
  if (is_sweeping_ || fold_.kept() == 0) return;
  is_sweeping_ = true;
  sweeping_ = transport_.after(options_.sweep_every, [this] {
    is_sweeping_ = false;
    for (EventWrite& write : fold_.sweep(transport_.now())) {
      if (counts_.size() < kMostCounts) {
        counts_.push_back(std::move(write));
      } else {
        ++dropped_;
      }
    }
    send_more();
    schedule_sweep();
  });
}

// ---- sending ----

void EventRecorder::send_more() {
  const Clock::time_point now = transport_.now();
  while (now >= quiet_until_ && sending_.size() < options_.at_once) {
    auto next = next_to_send();
    if (!next) break;
    send(*std::move(next));
  }
  schedule_sweep();
  wait_for_next();
}

std::optional<EventRecorder::Sending> EventRecorder::next_to_send() {
  if (!again_.empty() && again_.begin()->first <= transport_.now()) {
    Sending first = std::move(again_.begin()->second);
    again_.erase(again_.begin());
    return first;
  }
  if (auto next = next_of_queue()) return next;
  if (counts_.empty()) return std::nullopt;
  Sending count{.write = std::move(counts_.front())};
  counts_.pop_front();
  return count;
}

std::optional<EventRecorder::Sending> EventRecorder::next_of_queue() {
  const Clock::time_point now = transport_.now();
  while (auto event = queue_.take(busy_, now)) {
    const Clock::duration wait = fold_.wait(event->note, now);
    if (wait > Clock::duration::zero()) {
      queue_.put_off(*std::move(event), now + wait);
      continue;
    }
    EventQueue::Key key = EventQueue::key_of(event->note);
    auto write = fold_.record(std::move(event->note), event->wall, now, event->times);
    if (!write) continue;
    return Sending{.write = *std::move(write), .key = std::move(key)};
  }
  return std::nullopt;
}

void EventRecorder::send(Sending sending) {
  const EventWrite& write = sending.write;
  Request request;
  request.method = write.method;
  request.path = "/apis/events.k8s.io/v1/namespaces/" + percent_encoded(write.ns) + "/events";
  if (write.method == Method::Patch) request.path += "/" + percent_encoded(write.name);
  request.query = {{"fieldManager", options_.field_manager}};
  request.content_type = write.method == Method::Patch ? kStrategicMergePatch : kJson;
  request.body = write.body;
  request.lane = Lane::Events;
  const std::uint64_t id = ++last_;
  if (!sending.key.empty()) busy_.insert(sending.key);
  Sending& kept = sending_.emplace(id, std::move(sending)).first->second;
  StreamCallbacks callbacks;
  callbacks.done = [this, id](const Result<Response>& outcome) { take_outcome(id, outcome); };
  kept.ticket = transport_.stream(std::move(request), std::move(callbacks));
}

// ---- outcomes ----

void EventRecorder::take_outcome(std::uint64_t id, const Result<Response>& outcome) {
  const auto at = sending_.find(id);
  if (at == sending_.end()) return;
  Sending sending = std::move(at->second);
  sending_.erase(at);
  busy_.erase(sending.key);
  if (outcome && is_success(*outcome)) written_at_ = transport_.now();
  if (!outcome) {
    retry(std::move(sending), outcome.error(), true);
  } else if (!is_success(*outcome)) {
    const Status status = status_from(*outcome, sending.write.method);
    const Error error = error_from(status);
    const Method method = sending.write.method;
    if (method == Method::Patch && error.code == Code::NotFound) {
      // The event has expired on the server: create it again, with its count.
      EventWrite& write = sending.write;
      write = {Method::Post, write.ns, write.name, std::move(write.creation), ""};
      if (!sending.key.empty()) busy_.insert(sending.key);
      again_.emplace(transport_.now(), std::move(sending));
    } else if (method == Method::Post && is_already_exists(status)) {
      // An earlier attempt of ours succeeded; its answer was lost.
    } else if (error.code == Code::Unavailable) {
      const int code = outcome->status;
      retry(std::move(sending), error, code == kTooManyRequests || code == kServiceUnavailable);
    } else {
      ++dropped_;
    }
  }
  send_more();
}

// If the server is unavailable or overloaded, all events wait; otherwise only this one.
void EventRecorder::retry(Sending sending, const Error& error, bool is_away) {
  if (!is_away && ++sending.tries >= options_.max_tries) {
    ++dropped_;
    return;
  }
  const Clock::time_point now = transport_.now();
  const auto wish = std::min(error.retry_after, kLongestServerDelay);
  const Clock::time_point until = now + std::max(backoff_.next(now), wish);
  if (is_away || again_.size() >= kMostAgain) quiet_until_ = std::max(quiet_until_, until);
  if (!sending.key.empty()) busy_.insert(sending.key);
  sending.ticket = {};
  again_.emplace(until, std::move(sending));
}

// Sets a timer for the next event that may not be sent yet.
void EventRecorder::wait_for_next() {
  waiting_.cancel();
  const Clock::time_point now = transport_.now();
  std::optional<Clock::time_point> next = queue_.next();
  if (!again_.empty()) next = std::min(next.value_or(again_.begin()->first), again_.begin()->first);
  if (quiet_until_ > now && queued() > sending_.size()) {
    next = std::max(next.value_or(quiet_until_), quiet_until_);
  }
  // If all slots are in use, the next answer continues.
  if (!next || (*next <= now && sending_.size() >= options_.at_once)) return;
  const auto wait = std::max(*next - now, Clock::duration::zero());
  waiting_ = transport_.after(wait, [this] { send_more(); });
}

}  // namespace elbowroom::api
