// A rescheduler in virtual time: the real reactor and the real API worker on one thread, with a
// virtual transport and its faults. Like the real process it can crash between any two effects, and
// what it wrote before remains. It takes part in a simulation whose other parts take no time.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "lab/virtual/crash_point.h"
#include "lab/virtual/instant_program.h"
#include "lab/virtual/simulation.h"
#include "lab/virtual/virtual_transport.h"
#include "rescheduler/reactor.h"
#include "rescheduler/wire.h"

namespace elbowroom::test {

struct VirtualReschedulerReports {
  std::function<void(const rescheduler::Observation&)> observed{};  // before the reactor handles it
  std::function<void(const rescheduler::Effect&)> decided{};  // after that, each of its effects
  std::function<void(const api::Request&)> asked{};           // when the server acts on it
  std::function<void(const lab::ApiFault&)> fault{};
};

class VirtualRescheduler : public lab::InstantProgram {
 public:
  // `simulation` and `wall_off`, the offset of its time of day, must outlive it.
  VirtualRescheduler(lab::Simulation& simulation, const std::chrono::microseconds& wall_off,
                     const rescheduler::ReactorOptions& options, VirtualReschedulerReports reports,
                     std::uint64_t seed);

  bool settle() override;
  [[nodiscard]] std::optional<lab::VirtualClock::Steady::time_point> next_due() const override;

  // It hands over, and continues until is_over().
  void ask_to_stop() { inbox_.emplace_back(control::StopAsked{}); }
  [[nodiscard]] bool is_over() const { return is_abandoned_ || reactor_.handed_over(); }
  void crash_at(lab::CrashPoint when) { crash_at_ = when; }
  [[nodiscard]] bool has_crashed() const { return crashed_; }
  // The process ends at once. Writes on their way to the API arrive or not, as given.
  void abandon(bool writes_arrive);
  void arm(const lab::ApiFault& fault) { transport_->arm(fault); }
  void disarm();

  [[nodiscard]] const rescheduler::Reactor& reactor() const { return reactor_; }
  [[nodiscard]] const std::string& identity() const { return identity_; }

 private:
  using Steady = lab::VirtualClock::Steady;
  using Seen = decltype(rescheduler::Observation::what);

  [[nodiscard]] rescheduler::Moment moment() const;
  bool step();
  void handle(Seen seen);
  void perform(rescheduler::Effect effect);

  lab::Simulation& simulation_;
  const std::chrono::microseconds& wall_off_;
  std::string identity_;
  VirtualReschedulerReports reports_;
  rescheduler::Reactor reactor_;
  Steady::time_point started_;
  lab::VirtualTransport* transport_ = nullptr;  // owned by api_
  std::unique_ptr<rescheduler::ApiWorker> api_{};
  std::deque<Seen> inbox_{};
  std::optional<lab::CrashPoint> crash_at_{};
  bool crashed_ = false;
  bool is_abandoned_ = false;
};

}  // namespace elbowroom::test
