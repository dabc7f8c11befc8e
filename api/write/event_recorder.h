// Sends Events. Nothing waits for it and nothing may depend on it; what the API server does not
// take now waits, up to a bound, and what is beyond the bound is dropped and counted. How many are
// sent in a second is the transport's to say (TransportOptions::events).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "api/transport/backoff.h"
#include "api/transport/transport.h"
#include "api/write/event_correlator.h"
#include "api/write/event_queue.h"

namespace elbowroom::api {

struct EventRecorderOptions {
  EventCorrelatorOptions fold{};
  std::string field_manager = "elbowroom";
  EventQueueOptions queue{};
  std::size_t at_once = 8;  // on their way, so that a slow server costs no rate
  int max_tries = 12;       // of one that the server fails to take while it takes others
  BackoffOptions retry{std::chrono::seconds(5), std::chrono::seconds(10), std::chrono::hours(1)};
  std::chrono::milliseconds sweep_every{60'000};
  std::uint64_t seed = 1;
  // How long finish() goes on, and how long while nothing is written: a service manager gives a
  // daemon 10 s to end.
  std::chrono::milliseconds finish_within{6'000};
  std::chrono::milliseconds finish_in_vain{2'000};
};

class EventRecorder {
 public:
  // The transport must outlive the recorder.
  EventRecorder(Transport& transport, EventRecorderOptions options);
  EventRecorder(const EventRecorder&) = delete;
  EventRecorder& operator=(const EventRecorder&) = delete;

  // On the transport's thread.
  void record(EventNote note);

  // The end of a program: sends what waits, and drives the transport until all is written or the
  // time for it has passed. `alive` is called between its turns, at least every second.
  void finish(const std::function<void()>& alive);

  // Not written: no room in the queue, too late, refused by the server, or tried too often.
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }
  // Not written because a newer one of the same object and reason came before its turn.
  [[nodiscard]] std::uint64_t superseded() const { return superseded_; }
  [[nodiscard]] std::size_t queued() const {
    return queue_.size() + sending_.size() + again_.size() + counts_.size();
  }

 private:
  struct Sending {
    EventWrite write{};
    EventQueue::Key key{};  // "": a count, of no event that waited
    int tries = 0;
    Ticket ticket{};
  };
  using Again = std::multimap<Clock::time_point, Sending>;

  void send_more();
  [[nodiscard]] std::optional<Sending> next_to_send();
  [[nodiscard]] std::optional<Sending> next_of_queue();
  void send(Sending sending);
  void take_outcome(std::uint64_t id, const Result<Response>& outcome);
  void retry(Sending sending, const Error& error, bool is_away);
  void wait_for_next();
  void schedule_sweep();

  Transport& transport_;
  EventRecorderOptions options_;
  EventCorrelator fold_;
  Backoff backoff_;
  EventQueue queue_;
  std::deque<EventWrite> counts_{};  // of series that have ended or go on: when there is time
  std::map<std::uint64_t, Sending> sending_{};
  EventQueue::Keys busy_{};          // of what is being sent, or sent again
  Again again_{};                    // failed, by when they are tried again
  Clock::time_point quiet_until_{};  // the server is away, or asked for it
  Clock::time_point written_at_{};   // the last one
  bool is_sweeping_ = false;
  std::uint64_t last_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint64_t superseded_ = 0;
  Ticket waiting_;
  Ticket sweeping_;
};

}  // namespace elbowroom::api
