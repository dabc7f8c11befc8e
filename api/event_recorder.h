// Sends Events, best effort. The one thing to know: nothing waits for it and nothing may depend on
// it; when the API server is away for long, events are dropped and counted.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>

#include "api/backoff.h"
#include "api/event_fold.h"
#include "api/transport.h"

namespace elbowroom::api {

struct EventRecorderOptions {
  EventFoldOptions fold{};
  std::string field_manager = "elbowroom";
  std::size_t max_queued = 1000;
  int max_tries = 12;
  BackoffOptions retry{std::chrono::seconds(5), std::chrono::seconds(10), std::chrono::hours(1)};
  std::chrono::milliseconds sweep_every{60'000};
  std::uint64_t seed = 1;
  // Of whoever writes under a lease: asked before each write, which is not sent at that time or
  // later, and given up by then; what waits then is dropped. Unset: there is no such time.
  std::function<Clock::time_point()> end_by{};
};

class EventRecorder {
 public:
  // The transport must outlive the recorder.
  EventRecorder(Transport& transport, EventRecorderOptions options);
  EventRecorder(const EventRecorder&) = delete;
  EventRecorder& operator=(const EventRecorder&) = delete;

  // On the transport's thread.
  void record(EventNote note);

  // Nothing more is sent; what waits is dropped, and what is on its way is cut off.
  void stop();

  // Not written: no room in the queue, too late, refused by the server, or tried too often.
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }
  // Not written because of a rate.
  [[nodiscard]] std::uint64_t suppressed() const { return fold_.suppressed(); }
  [[nodiscard]] std::size_t queued() const { return queue_.size(); }

 private:
  void enqueue(std::vector<EventWrite> writes);
  void send_next();
  void drop_all();
  void take_outcome(const Result<Response>& outcome);
  void finish_first();
  void retry_later(const Error& error);
  void schedule_sweep();

  Transport& transport_;
  EventRecorderOptions options_;
  EventFold fold_;
  Backoff backoff_;
  std::deque<EventWrite> queue_;
  bool is_sending_ = false;  // the first of the queue is under way, or waits for another try
  bool is_sweeping_ = false;
  bool is_stopped_ = false;
  int tries_ = 0;
  std::uint64_t dropped_ = 0;
  Ticket sending_;
  Ticket sweeping_;
};

}  // namespace elbowroom::api
