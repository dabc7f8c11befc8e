#include <algorithm>
#include <cassert>
#include <utility>

#include "lab/virtual/simulation.h"

namespace elbowroom::lab {
namespace {

// More steps than this on one node at one moment are a defect.
constexpr int kMostNodeSteps = 10'000;
// Far more than any instant without latency needs: 5,000 pods that all start, resize and end at
// once.
constexpr std::size_t kMostSettleSteps = 200'000;

template <class Time>
void take_sooner(std::optional<Time>& of, std::optional<Time> than) {
  if (than) of = std::min(of.value_or(*than), *than);
}

}  // namespace

std::optional<Simulation::Steady::time_point> Simulation::due() const {
  std::optional<Steady::time_point> least;
  if (!planned_.empty()) least = planned_.begin()->first;
  take_sooner(least, due_on_nodes());
  take_sooner(least, due_in_daemons());
  for (const auto& [name, host] : hosts_) {
    if (host->seen_version != world_.version()) least = clock_.now;
  }
  if (protection_.is_due()) least = clock_.now;
  if (options_.controllers && controllers_.is_due(clock_.wall)) least = clock_.now;
  if (least) least = std::max(*least, clock_.now);
  return least;
}

std::optional<Simulation::Steady::time_point> Simulation::due_on_nodes() const {
  std::optional<policy::Time> least;
  for (const auto& [name, host] : hosts_) take_sooner(least, host->node->next_due());
  if (options_.controllers) take_sooner(least, controllers_.next_due());
  if (!least) return std::nullopt;
  return begin_ + std::chrono::ceil<Span>(*least - options_.start);
}

std::optional<Simulation::Steady::time_point> Simulation::due_in_daemons() const {
  std::optional<Steady::time_point> least;
  for (const auto& [name, host] : hosts_) {
    if (host->kubelet) take_sooner(least, host->kubelet->next_due());
    if (host->agent) take_sooner(least, host->agent->next_due());
  }
  for (const auto& [name, seat] : seats_) {
    if (seat->runs) take_sooner(least, seat->runs->next_due());
  }
  for (const auto& [name, program] : programs_) take_sooner(least, program->next_due());
  return least;
}

std::optional<Simulation::Span> Simulation::since_begin(
    std::optional<Steady::time_point> at) const {
  if (!at) return std::nullopt;
  return std::chrono::ceil<Span>(*at - begin_);
}

std::optional<Simulation::Span> Simulation::next_due() const { return since_begin(due()); }
std::optional<Simulation::Span> Simulation::next_on_nodes() const {
  return since_begin(due_on_nodes());
}
std::optional<Simulation::Span> Simulation::next_in_daemons() const {
  return since_begin(due_in_daemons());
}

void Simulation::advance_to(Steady::time_point then) {
  if (then <= clock_.now) return;
  clock_.now = then;
  clock_.wall = options_.start + elapsed();
  world_.set_time(clock_.wall);
}

// What protects pod groups is one of the controllers, and always there.
bool Simulation::step_controllers() {
  const bool released = protection_.step();
  return (options_.controllers && controllers_.step(clock_.wall)) || released;
}

void Simulation::tell_changes() {
  if (reported_version_ == world_.version()) return;
  reported_version_ = world_.version();
  if (hooks_.world_changed) hooks_.world_changed();
}

bool Simulation::step() {
  const auto next = due();
  if (!next) return false;
  advance_to(*next);
  if (!planned_.empty() && planned_.begin()->first <= clock_.now) {
    const auto f = std::move(planned_.begin()->second);
    planned_.erase(planned_.begin());
    f();
    tell_changes();
    return true;
  }
  if (options_.latency == Latency::None) {
    [[maybe_unused]] const bool rests = settle();
    assert(rests);
    return true;
  }
  for (auto& [name, host] : hosts_) step_node(*host);
  for (auto& [name, host] : hosts_) {
    const auto at = host->agent ? host->agent->next_due() : std::nullopt;
    if (at && *at <= clock_.now) step_agent(*host);
  }
  for (auto& [name, seat] : seats_) {
    const auto at = seat->runs ? seat->runs->next_due() : std::nullopt;
    if (at && *at <= clock_.now) step_scheduler(*seat);
  }
  (void)step_controllers();
  tell_changes();
  return true;
}

bool Simulation::settle_at(Span when) {
  advance_to(begin_ + when);
  return settle();
}

bool Simulation::settle() {
  assert(options_.latency == Latency::None);
  for (std::size_t steps = 0; steps < kMostSettleSteps; ++steps) {
    bool moved = false;
    for (auto& [name, host] : hosts_) {
      // The node's own steps come first: a pod whose containers have ended is gone before an agent
      // uses its room.
      while (steps < kMostSettleSteps && host->node->step(clock_.wall)) {
        moved = true;
        ++steps;
      }
      moved = settle_host(*host) || moved;
    }
    moved = step_controllers() || moved;
    for (auto& [name, seat] : seats_) {
      if (moved || !seat->runs) continue;
      moved = seat->runs->settle();
      if (moved && hooks_.stepped) hooks_.stepped(name);
      end_if_over(*seat);
    }
    for (auto& [name, program] : programs_) moved = moved || program->settle();
    tell_changes();
    if (moved) continue;
    for (auto& [name, host] : hosts_) host->seen_version = world_.version();
    return true;
  }
  return false;
}

bool Simulation::settle_host(Host& host) {
  bool moved = host.kubelet && host.kubelet->settle();
  if (host.agent) {
    moved = host.agent->settle() || moved;
    end_if_crashed(host);
  }
  return moved;
}

void Simulation::step_node(Host& host) {
  const auto at = host.node->next_due();
  if (host.seen_version == world_.version() && (!at || *at > clock_.wall)) return;
  int steps = 0;
  while (host.node->step(clock_.wall)) {
    tell_changes();
    ++steps;
    assert(steps < kMostNodeSteps);
  }
  host.seen_version = world_.version();
}

void Simulation::step_agent(Host& host) {
  host.agent->step();
  end_if_crashed(host);
}

void Simulation::end_if_crashed(Host& host) {
  if (!host.agent->has_crashed()) return;
  met(host.name, "Crash");
  const Crash crash = host.crash.value_or(Crash{});
  stop_agent(host.name, crash.how);
  at(elapsed() + crash.down, [this, &host] {
    if (!host.agent) start_agent(host.name, host.options);
  });
}

void Simulation::step_scheduler(Seat& seat) {
  seat.runs->step();
  if (hooks_.stepped) hooks_.stepped(seat.name);
  end_if_over(seat);
}

void Simulation::end_if_over(Seat& seat) {
  if (seat.runs->has_crashed()) {
    met(seat.name, "Crash");
    const Crash crash = seat.crash.value_or(Crash{});
    stop_scheduler(seat.name, crash.how);
    at(elapsed() + crash.down, [this, &seat] {
      if (!seat.runs) start_scheduler(seat.name, seat.options);
    });
  } else if (seat.runs->has_ended()) {
    stop_scheduler(seat.name, {});
  }
}

void Simulation::run_until(Span until) {
  const Steady::time_point then = begin_ + until;
  for (;;) {
    const auto next = due();
    if (!next || *next > then) break;
    step();
  }
  advance_to(then);
}

bool Simulation::is_quiescent() const {
  if (!planned_.empty() || protection_.is_due()) return false;
  if (options_.controllers && (controllers_.is_due(clock_.wall) || controllers_.next_due())) {
    return false;
  }
  for (const auto& [name, host] : hosts_) {
    if (host->seen_version != world_.version() || host->node->next_due()) return false;
    if (host->kubelet && !host->kubelet->is_quiet()) return false;
    if (host->agent && !host->agent->is_quiet()) return false;
  }
  for (const auto& [name, seat] : seats_) {
    if (seat->runs && !seat->runs->is_quiet()) return false;
  }
  return true;
}

bool Simulation::run_until_quiescent(Span at_most) {
  const Steady::time_point then = begin_ + at_most;
  while (!is_quiescent()) {
    const auto next = due();
    if (!next || *next > then) {
      advance_to(then);
      return false;
    }
    step();
  }
  return true;
}

}  // namespace elbowroom::lab
