#include "lab/virtual/simulation.h"

#include <cassert>
#include <cerrno>
#include <utility>

#include "base/checksum.h"

namespace elbowroom::lab {
namespace {

// More steps than this on one node at one moment are a defect.
constexpr int kMostNodeSteps = 10'000;

std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15ULL;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31U);
}

}  // namespace

std::string to_string(const ApiFault& fault) {
  switch (fault.kind) {
    case ApiFault::Kind::Refused:
      return "Refused";
    case ApiFault::Kind::Hang:
      return "Hang";
    case ApiFault::Kind::Slow:
      return "Slow";
    case ApiFault::Kind::HalfReply:
      return "HalfReply";
    case ApiFault::Kind::Status:
      return "Status/" + std::to_string(fault.code) +
             (fault.retry_after.count() > 0 ? "/Retry-After" : "");
    case ApiFault::Kind::LostReply:
      return "LostReply";
    case ApiFault::Kind::WatchSilent:
      return "WatchSilent";
    case ApiFault::Kind::WatchClosed:
      return fault.delay.count() > 0 ? "WatchBroken" : "WatchClosed";
    case ApiFault::Kind::WatchStale:
      return "WatchStale";
    case ApiFault::Kind::WatchGone:
      return "WatchGone";
    case ApiFault::Kind::WatchGoneEvent:
      return "WatchGoneEvent";
    case ApiFault::Kind::Duplicate:
      return "Duplicate";
    case ApiFault::Kind::Reordered:
      return "Reordered";
  }
  return "?";
}

std::string to_string(const RuntimeFault& fault) {
  switch (fault.kind) {
    case RuntimeFault::Kind::Hang:
      return "RuntimeHang";
    case RuntimeFault::Kind::Late:
      return "RuntimeLate";
    case RuntimeFault::Kind::AppliedButError:
      return "RuntimeAppliedButError";
    case RuntimeFault::Kind::NotApplied:
      return "RuntimeNotApplied";
    case RuntimeFault::Kind::Restart:
      return "RuntimeRestart";
  }
  return "?";
}

std::string to_string(const DiskFault& fault) {
  std::string name = fault.error == ENOSPC ? "ENOSPC" : "EIO";
  switch (fault.call) {
    case DiskCall::Open:
      return name + "/open";
    case DiskCall::Write:
      return name + "/write";
    case DiskCall::Fsync:
      return name + "/fsync";
    case DiskCall::Rename:
      return name + "/rename";
  }
  return name;
}

Simulation::Simulation(SimulationOptions options, SimulationHooks hooks)
    : options_(options),
      hooks_(std::move(hooks)),
      clock_{.wall = options.start},
      begin_(clock_.now),
      world_(options.world),
      service_(world_) {
  world_.set_time(clock_.wall);
  reported_version_ = world_.version();
}

Simulation::~Simulation() = default;

Simulation::Span Simulation::elapsed() const {
  return std::chrono::floor<Span>(clock_.now - begin_);
}

// ---- nodes and processes ----

void Simulation::add_node(const std::string& name, bool manages_pod_cgroups) {
  auto host = std::make_unique<Host>();
  host->name = name;
  host->node = std::make_unique<VirtualNode>(
      world_, placed_,
      VirtualNodeOptions{.node_name = name, .manages_pod_cgroups = manages_pod_cgroups});
  host->disk.on_fault([this, name](const DiskFault& fault) { met(name, to_string(fault)); });
  hosts_[name] = std::move(host);
}

VirtualAgentReports Simulation::reports_for(const std::string& node) {
  VirtualAgentReports reports;
  if (hooks_.observed) {
    reports.observed = [this, node](const agent::Observation& seen) {
      hooks_.observed(node, seen);
    };
  }
  if (hooks_.decided) {
    reports.decided = [this, node](const agent::Effect& effect) { hooks_.decided(node, effect); };
  }
  if (hooks_.performing) {
    reports.performing = [this, node](const agent::Effect& effect) {
      hooks_.performing(node, effect);
    };
  }
  if (hooks_.restored) {
    reports.restored = [this, node](const agent::Restored& restored) {
      hooks_.restored(node, restored);
    };
  }
  reports.met = [this, node](const RuntimeFault& fault) { met(node, to_string(fault)); };
  return reports;
}

void Simulation::start_agent(const std::string& node, agent::ReactorOptions options) {
  Host& host = *hosts_.at(node);
  assert(host.agent == nullptr);
  host.options = std::move(options);
  host.options.boot = {
      .id = "run-" + std::to_string(host.boots),
      .at_start = std::chrono::floor<std::chrono::milliseconds>(clock_.now.time_since_epoch())};
  const std::uint64_t seed = mixed(options_.seed ^ mixed(crc32c(node)) ^ ++host.starts);
  host.agent = std::make_unique<VirtualAgent>(
      VirtualAgent::Place{world_, service_, clock_, host.wall_off, *host.node, host.disk},
      host.options, reports_for(node), seed);
  host.agent->transport().on_fault(
      [this, node](const ApiFault& fault) { met(node, to_string(fault)); });
  if (hooks_.asked) {
    host.agent->transport().on_request(
        [this, node](const api::Request& request) { hooks_.asked(node, request); });
  }
}

void Simulation::stop_agent(const std::string& node, StopOptions options) {
  Host& host = *hosts_.at(node);
  host.crash.reset();
  if (!host.agent) return;
  host.agent->abandon(options.writes_arrive);
  host.agent.reset();
  if (!options.power_cut) return;
  host.disk.cut_power();
  ++host.boots;
}

const agent::Reactor* Simulation::reactor(const std::string& node) const {
  const auto& agent = hosts_.at(node)->agent;
  return agent ? &agent->reactor() : nullptr;
}

void Simulation::start_scheduler(const std::string& name, scheduler::ReactorOptions options) {
  auto& place = seats_[name];
  if (!place) place = std::make_unique<Seat>();
  Seat& seat = *place;
  assert(seat.runs == nullptr);
  seat.name = name;
  seat.options = std::move(options);
  scheduler::ReactorOptions of = seat.options;
  of.elector.identity = name + "-" + std::to_string(++seat.starts);
  if (hooks_.began) hooks_.began(name);
  VirtualSchedulerReports reports;
  if (hooks_.seen) {
    reports.observed = [this, name](const scheduler::Observation& seen) {
      hooks_.seen(name, seen);
    };
  }
  if (hooks_.resolved) {
    reports.decided = [this, name](const scheduler::Effect& effect) {
      hooks_.resolved(name, effect);
    };
  }
  const std::uint64_t seed = mixed(options_.seed ^ mixed(crc32c(name)) ^ seat.starts);
  seat.runs = std::make_unique<VirtualScheduler>(
      VirtualScheduler::Place{world_, service_, clock_, seat.wall_off}, std::move(of),
      std::move(reports), seed);
  seat.runs->transport().on_fault(
      [this, name](const ApiFault& fault) { met(name, to_string(fault)); });
  if (hooks_.asked) {
    seat.runs->transport().on_request(
        [this, name](const api::Request& request) { hooks_.asked(name, request); });
  }
}

void Simulation::stop_scheduler(const std::string& name, StopOptions options) {
  Seat& seat = *seats_.at(name);
  seat.crash.reset();
  if (!seat.runs) return;
  seat.runs->abandon(options.writes_arrive);
  seat.runs.reset();
}

void Simulation::end_scheduler(const std::string& name) {
  Seat& seat = *seats_.at(name);
  if (seat.runs) seat.runs->ask_to_stop();
}

const VirtualScheduler* Simulation::scheduler(const std::string& name) const {
  const auto at = seats_.find(name);
  return at == seats_.end() ? nullptr : at->second->runs.get();
}

void Simulation::at(Span when, std::function<void()> f) {
  planned_.emplace(std::max(begin_ + when, clock_.now), std::move(f));
}

// ---- faults ----

void Simulation::met(const std::string& node, std::string_view fault) const {
  if (hooks_.fault) hooks_.fault(node, fault);
}

void Simulation::arm(const std::string& node, const ApiFault& fault) {
  if (const auto seat = seats_.find(node); seat != seats_.end()) {
    if (seat->second->runs) seat->second->runs->transport().arm(fault);
    return;
  }
  Host& host = *hosts_.at(node);
  if (host.agent) host.agent->transport().arm(fault);
}

void Simulation::arm(const std::string& node, const RuntimeFault& fault) {
  Host& host = *hosts_.at(node);
  if (host.agent) host.agent->arm(fault);
}

void Simulation::arm(const std::string& node, const DiskFault& fault) {
  hosts_.at(node)->disk.arm(fault);
}

void Simulation::crash(const std::string& node, CrashPoint when, StopOptions how, Span down) {
  if (const auto at = seats_.find(node); at != seats_.end()) {
    if (!at->second->runs) return;
    at->second->crash = Crash{when, how, down};
    at->second->runs->crash_at(when);
    return;
  }
  Host& host = *hosts_.at(node);
  if (!host.agent) return;
  host.crash = Crash{when, how, down};
  host.agent->crash_at(when);
}

void Simulation::jump_wall(const std::string& node, Span by) {
  met(node, "ClockJump");
  if (const auto seat = seats_.find(node); seat != seats_.end()) {
    seat->second->wall_off += by;
    return;
  }
  hosts_.at(node)->wall_off += by;
}

void Simulation::disarm() {
  for (auto& [name, host] : hosts_) {
    host->disk.disarm();
    host->crash.reset();
    if (!host->agent) continue;
    host->agent->transport().disarm();
    host->agent->disarm();
  }
  for (auto& [name, seat] : seats_) {
    seat->crash.reset();
    if (!seat->runs) continue;
    seat->runs->transport().disarm();
    seat->runs->disarm();
  }
}

// ---- time ----

std::optional<Simulation::Steady::time_point> Simulation::due() const {
  std::optional<Steady::time_point> least;
  const auto consider = [&](std::optional<Steady::time_point> at) {
    if (at && (!least || *at < *least)) least = at;
  };
  if (!planned_.empty()) consider(planned_.begin()->first);
  for (const auto& [name, host] : hosts_) {
    if (host->seen_version != world_.version()) consider(clock_.now);
    if (const auto at = host->node->next_due()) {
      consider(begin_ + std::chrono::ceil<Span>(*at - options_.start));
    }
    if (host->agent) consider(host->agent->next_due());
  }
  for (const auto& [name, seat] : seats_) {
    if (seat->runs) consider(seat->runs->next_due());
  }
  if (least) least = std::max(*least, clock_.now);
  return least;
}

std::optional<Simulation::Span> Simulation::next_due() const {
  const auto at = due();
  if (!at) return std::nullopt;
  return std::chrono::ceil<Span>(*at - begin_);
}

void Simulation::advance_to(Steady::time_point then) {
  if (then <= clock_.now) return;
  clock_.now = then;
  clock_.wall = options_.start + elapsed();
  world_.set_time(clock_.wall);
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
  for (auto& [name, host] : hosts_) step_node(*host);
  for (auto& [name, host] : hosts_) {
    const auto at = host->agent ? host->agent->next_due() : std::nullopt;
    if (at && *at <= clock_.now) step_agent(*host);
  }
  for (auto& [name, seat] : seats_) {
    const auto at = seat->runs ? seat->runs->next_due() : std::nullopt;
    if (at && *at <= clock_.now) step_scheduler(*seat);
  }
  tell_changes();
  return true;
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
  if (!planned_.empty()) return false;
  for (const auto& [name, host] : hosts_) {
    if (host->seen_version != world_.version() || host->node->next_due()) return false;
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
