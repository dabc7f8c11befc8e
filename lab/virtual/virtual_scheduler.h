// A scheduler in virtual time: the real reactor and the real API worker on one thread, over a
// virtual transport. Like the process it stands for it can be lost between any two effects, and
// what it wrote until then stays written.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "lab/apiserver/api_service.h"
#include "lab/virtual/crash_point.h"
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
  };

  // Begins to follow the cluster; its identity is its elector's. What `place` names must outlive
  // it.
  VirtualScheduler(const Place& place, const scheduler::ReactorOptions& options,
                   VirtualSchedulerReports reports, std::uint64_t seed);

  // When step() has something to do.
  [[nodiscard]] std::optional<VirtualClock::Steady::time_point> next_due() const;

  // One thing that is due: hands over an observation and performs its effects, or lets the API go
  // on.
  void step();

  // True where it waits for nothing but what others do and its own time: a Lease is renewed for
  // ever.
  [[nodiscard]] bool is_quiet() const { return !crashed_ && inbox_.empty(); }

  // A clean end: it hands over. It goes on until has_ended().
  void ask_to_stop() { inbox_.emplace_back(scheduler::StopAsked{}); }
  [[nodiscard]] bool has_ended() const { return reactor_.handed_over(); }

  [[nodiscard]] VirtualTransport& transport() { return *transport_; }

  void crash_at(CrashPoint when) { crash_at_ = when; }
  [[nodiscard]] bool has_crashed() const { return crashed_; }
  // The process ends here and now; writes on their way to the API arrive, or do not.
  void abandon(bool writes_arrive) { transport_->abandon(writes_arrive); }
  void disarm() { crash_at_.reset(); }

  [[nodiscard]] const scheduler::Reactor& reactor() const { return reactor_; }
  [[nodiscard]] scheduler::Moment moment() const;
  [[nodiscard]] const std::string& identity() const { return identity_; }

 private:
  using Steady = VirtualClock::Steady;
  using Seen = decltype(scheduler::Observation::what);

  void handle(Seen seen);

  Place place_;
  std::string identity_;
  VirtualSchedulerReports reports_;
  scheduler::Reactor reactor_;
  Steady::time_point started_;
  VirtualTransport* transport_ = nullptr;  // owned by api_
  std::unique_ptr<scheduler::ApiWorker> api_;
  std::deque<Seen> inbox_{};
  std::optional<CrashPoint> crash_at_{};
  bool crashed_ = false;
};

}  // namespace elbowroom::lab
