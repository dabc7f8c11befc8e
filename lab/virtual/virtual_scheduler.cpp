#include "lab/virtual/virtual_scheduler.h"

#include <utility>

namespace elbowroom::lab {

VirtualScheduler::VirtualScheduler(const Place& place, const scheduler::ReactorOptions& options,
                                   VirtualSchedulerReports reports, std::uint64_t seed)
    : place_(place),
      identity_(options.elector.identity),
      reports_(std::move(reports)),
      reactor_(options),
      started_(place.clock.now) {
  connect(options, seed);
}

void VirtualScheduler::connect(const scheduler::ReactorOptions& options, std::uint64_t seed) {
  if (place_.latency == Latency::None) {
    line_.emplace(place_.world, place_.record, !options.places_for.empty(),
                  [this](Seen seen) { handle_through(std::move(seen)); });
    return;
  }
  auto transport = std::make_unique<VirtualTransport>(
      VirtualTransport::Place{place_.world, place_.service, place_.clock, place_.wall_off},
      scheduler::ApiWorker::transport_options(!options.places_for.empty()), seed);
  transport_ = transport.get();
  scheduler::ApiWorkerOptions of;
  of.identity = options.elector.identity;
  of.leader_elect = options.leader_elect;
  of.places = !options.places_for.empty();
  of.seed = seed;
  api_ = std::make_unique<scheduler::ApiWorker>(
      std::move(transport), of, started_, [this](Seen seen) { inbox_.push_back(std::move(seen)); });
  api_->start();
}

scheduler::Moment VirtualScheduler::moment() const {
  return {.since_start = std::chrono::floor<std::chrono::milliseconds>(place_.clock.now - started_),
          .wall = place_.clock.wall + place_.wall_off};
}

std::optional<VirtualClock::Steady::time_point> VirtualScheduler::next_due() const {
  const Steady::time_point now = place_.clock.now;
  if (crashed_ || !inbox_.empty() || has_ended()) return now;
  if (line_ && line_->is_behind()) return now;
  std::optional<Steady::time_point> least;
  if (transport_ != nullptr) least = transport_->next_due();
  if (const auto wake = reactor_.next_wake()) {
    const Steady::time_point at = started_ + *wake;
    if (!least || at < *least) least = at;
  }
  if (least) least = std::max(*least, now);
  return least;
}

void VirtualScheduler::step() {
  if (crashed_) return;
  if (!inbox_.empty()) {
    Seen seen = std::move(inbox_.front());
    inbox_.pop_front();
    return handle(std::move(seen));
  }
  if (const auto due = transport_->next_due(); due && *due <= place_.clock.now) {
    return transport_->run_once(Steady::duration::zero());
  }
  const auto wake = reactor_.next_wake();
  if (wake && moment().since_start >= *wake) handle(scheduler::TimePassed{});
}

bool VirtualScheduler::settle() {
  if (!inbox_.empty()) {
    handle_all();
    return true;
  }
  if (line_->look()) return true;
  const auto wake = reactor_.next_wake();
  if (!wake || moment().since_start < *wake) return false;
  handle_through(scheduler::TimePassed{});
  return true;
}

void VirtualScheduler::handle_through(Seen seen) {
  inbox_.push_back(std::move(seen));
  handle_all();
}

// Also handles what is reported of the effects, in their order.
void VirtualScheduler::handle_all() {
  while (!crashed_ && !inbox_.empty()) {
    Seen next = std::move(inbox_.front());
    inbox_.pop_front();
    handle(std::move(next));
  }
}

void VirtualScheduler::handle(Seen seen) {
  scheduler::Observation observation{moment(), std::move(seen)};
  if (reports_.observed) reports_.observed(observation);
  scheduler::Effects effects = reactor_.handle(std::move(observation));
  if (reports_.decided) {
    for (const scheduler::Effect& effect : effects) reports_.decided(effect);
  }
  for (scheduler::Effect& effect : effects) {
    const bool crashes = crash_at_ && crash_at_->effect == 0;
    if (crash_at_ && !crashes) --crash_at_->effect;
    crashed_ = crashes;
    if (crashes && !crash_at_->after) return;
    perform(std::move(effect));
    if (crashes) return;
  }
}

void VirtualScheduler::perform(scheduler::Effect effect) {
  if (!line_) {
    api_->perform(std::move(effect));
    // At a crash it is already on its way.
    if (crashed_) transport_->run_once(Steady::duration::zero());
  } else if (!std::holds_alternative<scheduler::EmitEvent>(effect.what)) {  // only reported
    inbox_.push_back(line_->answer(effect));
  }
}

}  // namespace elbowroom::lab
