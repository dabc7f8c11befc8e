#include "api/event_recorder.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "api/status_error.h"

namespace elbowroom::api {

EventRecorder::EventRecorder(Transport& transport, EventRecorderOptions options)
    : transport_(transport),
      options_(std::move(options)),
      fold_(options_.fold),
      backoff_(options_.retry, options_.seed) {}

void EventRecorder::record(EventNote note) {
  enqueue(fold_.record(std::move(note), transport_.wall(), transport_.now()));
  schedule_sweep();
}

void EventRecorder::stop() {
  is_stopped_ = true;
  sending_.cancel();
  sweeping_.cancel();
  is_sending_ = false;
  drop_all();
}

void EventRecorder::drop_all() {
  dropped_ += queue_.size();
  queue_.clear();
  tries_ = 0;
}

void EventRecorder::schedule_sweep() {
  if (is_sweeping_ || fold_.kept() == 0) return;
  is_sweeping_ = true;
  sweeping_ = transport_.after(options_.sweep_every, [this] {
    is_sweeping_ = false;
    enqueue(fold_.sweep(transport_.now()));
    schedule_sweep();
  });
}

void EventRecorder::enqueue(std::vector<EventWrite> writes) {
  for (EventWrite& write : writes) {
    if (queue_.size() >= options_.max_queued) {
      ++dropped_;
    } else {
      queue_.push_back(std::move(write));
    }
  }
  send_next();
}

void EventRecorder::send_next() {
  if (is_sending_ || queue_.empty()) return;
  std::optional<Clock::time_point> fence;
  if (options_.end_by) fence = options_.end_by();
  if (is_stopped_ || (fence && transport_.now() >= *fence)) return drop_all();
  is_sending_ = true;
  const EventWrite& write = queue_.front();
  Request request;
  request.method = write.method;
  request.path = "/apis/events.k8s.io/v1/namespaces/" + percent_encoded(write.ns) + "/events";
  if (write.method == Method::Patch) request.path += "/" + percent_encoded(write.name);
  request.query = {{"fieldManager", options_.field_manager}};
  request.content_type = write.method == Method::Patch ? kStrategicMergePatch : kJson;
  request.body = write.body;
  request.lane = Lane::Events;
  request.not_after = fence;
  StreamCallbacks callbacks;
  callbacks.done = [this](const Result<Response>& outcome) { take_outcome(outcome); };
  sending_ = transport_.stream(std::move(request), std::move(callbacks));
}

void EventRecorder::take_outcome(const Result<Response>& outcome) {
  EventWrite& write = queue_.front();
  if (!outcome) return retry_later(outcome.error());
  if (is_success(*outcome)) return finish_first();

  const Status status = status_from(*outcome, write.method);
  const Error error = error_from(status);
  if (write.method == Method::Patch && error.code == Code::NotFound) {
    // The server has forgotten it: told again, with its count.
    write = {Method::Post, write.ns, write.name, write.creation, ""};
    is_sending_ = false;
    return send_next();
  }
  // Our own earlier try, whose answer was lost.
  if (write.method == Method::Post && is_already_exists(status)) return finish_first();
  if (error.code == Code::Unavailable) return retry_later(error);
  ++dropped_;
  finish_first();
}

void EventRecorder::finish_first() {
  queue_.pop_front();
  tries_ = 0;
  is_sending_ = false;
  send_next();
}

void EventRecorder::retry_later(const Error& error) {
  if (++tries_ >= options_.max_tries) {
    ++dropped_;
    return finish_first();
  }
  const auto wish = std::min(error.retry_after, std::chrono::milliseconds(60'000));
  const auto wait = std::max(backoff_.next(transport_.now()), wish);
  sending_ = transport_.after(wait, [this] {
    is_sending_ = false;
    send_next();
  });
}

}  // namespace elbowroom::api
