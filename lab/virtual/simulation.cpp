#include "lab/virtual/simulation.h"

#include <cassert>
#include <utility>

#include "base/checksum.h"
#include "lab/virtual/fault_text.h"

namespace elbowroom::lab {
namespace {

std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15ULL;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31U);
}

}  // namespace

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

std::uint64_t Simulation::version() const {
  std::uint64_t sum = world_.version();
  for (const auto& [name, host] : hosts_) sum += host->node->runtime_version();
  return sum;
}

Simulation::Span Simulation::elapsed() const {
  return std::chrono::floor<Span>(clock_.now - begin_);
}

// ---- nodes and processes ----

void Simulation::add_node(const std::string& name, bool manages_pod_cgroups,
                          cri::CgroupVersion cgroups) {
  auto host = std::make_unique<Host>();
  host->name = name;
  host->node = std::make_unique<VirtualNode>(
      world_, placed_,
      VirtualNodeOptions{
          .node_name = name, .manages_pod_cgroups = manages_pod_cgroups, .cgroups = cgroups});
  if (hooks_.wrote_cgroup) {
    host->node->on_cgroup_write(
        [this, name](const CgroupWrite& write) { hooks_.wrote_cgroup(name, write); });
  }
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

agent::Boot Simulation::boot_of(const Host& host) const {
  return {.id = "run-" + std::to_string(host.boots),
          .at_start = std::chrono::floor<std::chrono::milliseconds>(clock_.now.time_since_epoch())};
}

void Simulation::start_agent(const std::string& node, agent::ReactorOptions options) {
  Host& host = *hosts_.at(node);
  assert(host.agent == nullptr);
  host.options = std::move(options);
  host.options.boot = boot_of(host);
  if (host.options.authority) host.node->begin_admission();
  const std::uint64_t seed = mixed(options_.seed ^ mixed(crc32c(node)) ^ ++host.starts);
  host.agent = agent_on(host, host.options, reports_for(node), seed);
  if (options_.latency == Latency::None) return;
  host.agent->transport().on_fault(
      [this, node](const ApiFault& fault) { met(node, to_string(fault)); });
  if (hooks_.asked) {
    host.agent->transport().on_request(
        [this, node](const api::Request& request) { hooks_.asked(node, request); });
  }
}

std::unique_ptr<VirtualAgent> Simulation::agent_on(Host& host, const agent::ReactorOptions& options,
                                                   const VirtualAgentReports& reports,
                                                   std::uint64_t seed) {
  return std::make_unique<VirtualAgent>(
      VirtualAgent::Place{world_, service_, clock_, host.wall_off, *host.node, host.disk, placed_,
                          options_.latency},
      options, reports, seed);
}

void Simulation::start_kubelet(const std::string& node) {
  assert(options_.latency == Latency::None);
  Host& host = *hosts_.at(node);
  agent::ReactorOptions options;
  options.node_name = node;
  options.authority = true;
  options.kubelet = true;
  options.boot = boot_of(host);
  host.node->begin_admission();
  host.kubelet = agent_on(host, options, {}, options_.seed);
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
      VirtualScheduler::Place{world_, service_, clock_, seat.wall_off, seat.record,
                              options_.latency},
      std::move(of), std::move(reports), seed);
  if (options_.latency == Latency::None) return;
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
    if (options_.latency != Latency::None) host->agent->transport().disarm();
    host->agent->disarm();
  }
  for (auto& [name, seat] : seats_) {
    seat->crash.reset();
    if (!seat->runs) continue;
    if (options_.latency != Latency::None) seat->runs->transport().disarm();
    seat->runs->disarm();
  }
}

}  // namespace elbowroom::lab
