#include "test/simulation/moves/virtual_rescheduler.h"

#include <algorithm>
#include <utility>

namespace elbowroom::test {

VirtualRescheduler::VirtualRescheduler(lab::Simulation& simulation,
                                       const std::chrono::microseconds& wall_off,
                                       const rescheduler::ReactorOptions& options,
                                       VirtualReschedulerReports reports, std::uint64_t seed)
    : simulation_(simulation),
      wall_off_(wall_off),
      identity_(options.elector.identity),
      reports_(std::move(reports)),
      reactor_(options),
      started_(simulation.clock().now) {
  auto transport = std::make_unique<lab::VirtualTransport>(
      lab::VirtualTransport::Place{simulation.world(), simulation.api(), simulation.clock(),
                                   wall_off},
      rescheduler::Wire::transport_options(), seed);
  transport_ = transport.get();
  transport_->on_request(reports_.asked);
  transport_->on_fault(reports_.fault);
  rescheduler::Wire::Options of;
  of.identity = options.elector.identity;
  of.leader_elect = options.leader_elect;
  of.seed = seed;
  api_ = std::make_unique<rescheduler::ApiWorker>(
      std::move(transport), of, started_, [this](Seen seen) { inbox_.push_back(std::move(seen)); });
  api_->start();
}

rescheduler::Moment VirtualRescheduler::moment() const {
  const lab::VirtualClock& clock = simulation_.clock();
  return {.since_start = std::chrono::floor<std::chrono::milliseconds>(clock.now - started_),
          .wall = clock.wall + wall_off_};
}

std::optional<lab::VirtualClock::Steady::time_point> VirtualRescheduler::next_due() const {
  if (crashed_ || is_over()) return std::nullopt;
  const Steady::time_point now = simulation_.clock().now;
  if (!inbox_.empty()) return now;
  std::optional<Steady::time_point> least = transport_->next_due();
  if (const auto wake = reactor_.next_wake()) {
    const Steady::time_point at = started_ + *wake;
    least = std::min(least.value_or(at), at);
  }
  if (least) least = std::max(*least, now);
  return least;
}

bool VirtualRescheduler::settle() {
  bool moved = false;
  while (step()) moved = true;
  return moved;
}

bool VirtualRescheduler::step() {
  if (crashed_ || is_over()) return false;
  if (!inbox_.empty()) {
    Seen seen = std::move(inbox_.front());
    inbox_.pop_front();
    handle(std::move(seen));
    return true;
  }
  if (const auto due = transport_->next_due(); due && *due <= simulation_.clock().now) {
    transport_->run_once(Steady::duration::zero());
    return true;
  }
  const auto wake = reactor_.next_wake();
  if (!wake || moment().since_start < *wake) return false;
  handle(control::TimePassed{});
  return true;
}

void VirtualRescheduler::handle(Seen seen) {
  rescheduler::Observation observation{moment(), std::move(seen)};
  reports_.observed(observation);
  rescheduler::Effects effects = reactor_.handle(std::move(observation));
  for (const rescheduler::Effect& effect : effects) reports_.decided(effect);
  for (rescheduler::Effect& effect : effects) {
    const bool crashes = crash_at_ && crash_at_->effect == 0;
    if (crash_at_ && !crashes) --crash_at_->effect;
    crashed_ = crashes;
    if (crashes && !crash_at_->after) return;
    perform(std::move(effect));
    if (crashes) return;
  }
}

void VirtualRescheduler::perform(rescheduler::Effect effect) {
  api_->perform(std::move(effect));
  // At a crash it is already on its way.
  if (crashed_) transport_->run_once(Steady::duration::zero());
}

void VirtualRescheduler::abandon(bool writes_arrive) {
  if (is_abandoned_) return;
  is_abandoned_ = true;
  transport_->abandon(writes_arrive);
}

void VirtualRescheduler::disarm() {
  transport_->disarm();
  crash_at_.reset();
}

}  // namespace elbowroom::test
