// Sends Events. Nothing waits for it, and nothing may depend on it. Events that the API server does
// not accept now wait, up to a limit; beyond the limit they are dropped and counted. The transport
// sets the rate (TransportOptions::events).
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
  std::size_t at_once = 8;  // in flight, so that a slow server does not reduce the rate
  int max_tries = 12;       // for one event that fails while others succeed
  BackoffOptions retry{std::chrono::seconds(5), std::chrono::seconds(10), std::chrono::hours(1)};
  std::chrono::milliseconds sweep_every{60'000};
  std::uint64_t seed = 1;
  // The time limit of finish(), and for a pause without a write: a service manager gives a daemon
  // 10 s to end.
  std::chrono::milliseconds finish_within{6'000};
  std::chrono::milliseconds finish_in_vain{2'000};
};

class EventRecorder {
 public:
  // The transport must outlive the recorder.
  EventRecorder(Transport& transport, EventRecorderOptions options);
  EventRecorder(const EventRecorder&) = delete;
  EventRecorder& operator=(const EventRecorder&) = delete;

  // Call it on the transport's thread.
  void record(EventNote note);

  // For the end of a program: sends the waiting events, and runs the transport until all are
  // written or the time is over. Calls `alive` between rounds, at least every second.
  void finish(const std::function<void()>& alive);

  // Not written: no room in the queue, too late, refused by the server, or too many attempts.
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }
  // Not written because a newer event of the same object and reason arrived first.
  [[nodiscard]] std::uint64_t superseded() const { return superseded_; }
  [[nodiscard]] std::size_t queued() const {
    return queue_.size() + sending_.size() + again_.size() + counts_.size();
  }

 private:
  struct Sending {
    EventWrite write{};
    EventQueue::Key key{};  // "": a count, not from the queue
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
  std::deque<EventWrite> counts_{};  // of ended or ongoing series: sent when there is time
  std::map<std::uint64_t, Sending> sending_{};
  EventQueue::Keys busy_{};          // of events in flight or waiting for a retry
  Again again_{};                    // failed, by the time of the retry
  Clock::time_point quiet_until_{};  // the server is unavailable, or asked for a delay
  Clock::time_point written_at_{};   // the last successful write
  bool is_sweeping_ = false;
  std::uint64_t last_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint64_t superseded_ = 0;
  Ticket waiting_;
  Ticket sweeping_;
};

}  // namespace elbowroom::api
