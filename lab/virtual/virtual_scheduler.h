// A scheduler in virtual time: the real reactor and the real API worker on one thread, with a
// virtual transport. Like the real process it can crash between any two effects, and what it wrote
// before remains. Without latency an instant line takes the place of the API worker and its
// transport.
#pragma once

#include <cassert>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "lab/apiserver/api_service.h"
#include "lab/virtual/crash_point.h"
#include "lab/virtual/instant_scheduler_line.h"
#include "lab/virtual/latency.h"
#include "lab/virtual/virtual_clock.h"
#include "lab/virtual/virtual_transport.h"
#include "scheduler/reactor.h"
#include "scheduler/wire.h"

namespace elbowroom::lab {

struct VirtualSchedulerReports {
  std::function<void(const scheduler::Observation&)> observed{};  // before the reactor handles it
  std::function<void(const scheduler::Effect&)> decided{};        // after that, each of its effects
};

class VirtualScheduler {
 public:
  struct Place {
    World& world;
    ApiService& service;
    const VirtualClock& clock;
    const std::chrono::microseconds& wall_off;
    InstantSchedulerLine::Record& record;  // used without latency
    Latency latency = Latency::Network;
  };

  // Starts to watch the cluster; its identity is its elector's. Everything that `place` refers to
  // must outlive it.
  VirtualScheduler(const Place& place, const scheduler::ReactorOptions& options,
                   VirtualSchedulerReports reports, std::uint64_t seed);

  // When step() has something to do.
  [[nodiscard]] std::optional<VirtualClock::Steady::time_point> next_due() const;

  // Performs one due step: hands over an observation and performs its effects, or lets the API
  // continue.
  void step();

  // Without latency, in place of step(): performs all that is due now, the changes of the world as
  // one; the time only if there was nothing else. Returns true if there was anything.
  bool settle();

  // True if it waits only for others and for its own time: a Lease is renewed forever.
  [[nodiscard]] bool is_quiet() const { return !crashed_ && inbox_.empty(); }

  // Asks for an orderly end: it hands over. It continues until has_ended().
  void ask_to_stop() { inbox_.emplace_back(scheduler::StopAsked{}); }
  [[nodiscard]] bool has_ended() const { return reactor_.handed_over(); }

  // Requires latency.
  [[nodiscard]] VirtualTransport& transport() {
    assert(transport_ != nullptr);
    return *transport_;
  }

  void crash_at(CrashPoint when) { crash_at_ = when; }
  [[nodiscard]] bool has_crashed() const { return crashed_; }
  // The process ends at once. Writes on their way to the API arrive or not, as given.
  void abandon(bool writes_arrive) {
    if (transport_ != nullptr) transport_->abandon(writes_arrive);
  }
  void disarm() { crash_at_.reset(); }

  [[nodiscard]] const scheduler::Reactor& reactor() const { return reactor_; }
  [[nodiscard]] scheduler::Moment moment() const;
  [[nodiscard]] const std::string& identity() const { return identity_; }

 private:
  using Steady = VirtualClock::Steady;
  using Seen = decltype(scheduler::Observation::what);

  void connect(const scheduler::ReactorOptions& options, std::uint64_t seed);
  void handle(Seen seen);
  void handle_through(Seen seen);
  void handle_all();
  void perform(scheduler::Effect effect);

  Place place_;
  std::string identity_;
  VirtualSchedulerReports reports_;
  scheduler::Reactor reactor_;
  Steady::time_point started_;
  VirtualTransport* transport_ = nullptr;  // owned by api_; nullptr without latency
  std::unique_ptr<scheduler::ApiWorker> api_{};
  std::optional<InstantSchedulerLine> line_{};  // in place of api_
  std::deque<Seen> inbox_{};
  std::optional<CrashPoint> crash_at_{};
  bool crashed_ = false;
};

}  // namespace elbowroom::lab
