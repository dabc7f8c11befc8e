// A cluster in virtual time on one thread: a world of API objects, nodes that run pods, real agents
// and real schedulers, with every fault that the lab knows. The same seed and the same calls give
// the same run, step by step. Nothing happens outside step() and settle_at().
//
//   Simulation sim({.seed = 7});
//   sim.world().load(node);                               // objects at 0s
//   sim.add_node("node1");                                // its runtime and pod runner
//   sim.start_agent("node1", {.node_name = "node1", .authority = true});
//   sim.at(10s, [&] { sim.world().patch(...); });         // a change of the world, in time
//   sim.at(50s, [&] { sim.stop_agent("node1", {}); });    // an agent is lost,
//   sim.at(55s, [&] { sim.start_agent("node1", ...); });  // and starts again
//   sim.run_until(5min);  // or run_until_quiescent(1h): until nothing more will happen
//
// Without latency (SimulationOptions::latency) the same parts play decisions alone: what happens at
// one time happens in a fixed order, and nothing takes time but what the world says takes time.
//
// SimulationHooks receive everything that happens: each observation before a reactor handles it,
// each effect when it is decided and when it is performed, each change of the world
// (World::changes_after has the details), each fault that occurs. A scheduler's name differs from
// every node's name; calls that take a node's name for its agent take a scheduler's name for that
// scheduler.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lab/apiserver/api_fault.h"
#include "lab/apiserver/api_service.h"
#include "lab/controllers/controllers.h"
#include "lab/node/runtime_fault.h"
#include "lab/virtual/instant_program.h"
#include "lab/virtual/latency.h"
#include "lab/virtual/virtual_agent.h"
#include "lab/virtual/virtual_clock.h"
#include "lab/virtual/virtual_disk.h"
#include "lab/virtual/virtual_node.h"
#include "lab/virtual/virtual_scheduler.h"
#include "lab/world/pod_group_protection.h"
#include "lab/world/world.h"

namespace elbowroom::lab {

struct SimulationOptions {
  std::uint64_t seed = 1;
  // The API server's time at 0s.
  policy::Time start = policy::Time(std::chrono::seconds(1'767'225'600));  // 2026-01-01T00:00:00Z
  WorldOptions world{};
  // Without latency faults have nothing to hit, and all that happens at one time is one step().
  Latency latency = Latency::Network;
  // Deployments, ReplicaSets, StatefulSets, DaemonSets and PodDisruptionBudgets have controllers,
  // which act after every change and take no time.
  bool controllers = false;
};

// Hooks are called in the order of events and must not change the simulation.
struct SimulationHooks {
  std::function<void(const std::string& node, const agent::Observation&)> observed{};
  std::function<void(const std::string& node, const agent::Effect&)> decided{};
  std::function<void(const std::string& node, const agent::Effect&)> performing{};
  std::function<void(const std::string& node, const api::Request&)>
      asked{};  // requests to the API server
  // What agents write into the cgroups of that node.
  std::function<void(const std::string& node, const CgroupWrite&)> wrote_cgroup{};
  std::function<void()> world_changed{};  // once for all changes of one step
  // "Refused", "Status/429", "ENOSPC/Write", "NotApplied", "Crash", ...: each time a fault occurs.
  std::function<void(const std::string& node, std::string_view fault)> fault{};
  std::function<void(const std::string& node, const agent::Restored&)> restored{};
  // For schedulers, by name; `asked` and `fault` are called for them, too.
  std::function<void(const std::string& name)> began{};  // a process
  std::function<void(const std::string& name, const scheduler::Observation&)> seen{};
  std::function<void(const std::string& name, const scheduler::Effect&)> resolved{};
  std::function<void(const std::string& name)>
      stepped{};  // its effects are under way, or performed
};

struct StopOptions {
  bool writes_arrive = true;  // writes on their way to the API arrive
  bool power_cut = false;     // unsynced data on its disk is lost

  friend bool operator==(const StopOptions&, const StopOptions&) = default;
};

class Simulation {
 public:
  using Span = std::chrono::microseconds;

  explicit Simulation(SimulationOptions options, SimulationHooks hooks = {});
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // May be changed between steps and by at(). The simulation sets its time.
  [[nodiscard]] World& world() { return world_; }
  [[nodiscard]] ApiService& api() { return service_; }
  [[nodiscard]] const VirtualClock& clock() const { return clock_; }
  // Changes whenever an object or a runtime changes.
  [[nodiscard]] std::uint64_t version() const;
  // Time since 0s.
  [[nodiscard]] Span elapsed() const;

  // Adds a node that runs pods. The caller creates its Node object.
  void add_node(const std::string& name, bool manages_pod_cgroups = true,
                cri::CgroupVersion cgroups = cri::CgroupVersion::V1);
  [[nodiscard]] VirtualNode& node(const std::string& name) { return *hosts_.at(name)->node; }
  [[nodiscard]] VirtualDisk& disk(const std::string& name) { return hosts_.at(name)->disk; }

  // Starts an agent from the node's disk. Requires that none runs there.
  void start_agent(const std::string& node, agent::ReactorOptions options);
  // Starts a stand-in for the kubelet beside a companion: it judges and actuates as an agent in
  // authority does, but makes no room. Its hooks are not called. Without latency only.
  void start_kubelet(const std::string& node);
  // Ends the process at once, as by kill -9. Does nothing if none runs.
  void stop_agent(const std::string& node, StopOptions options);
  // Returns the agent that runs there, or nullptr.
  [[nodiscard]] const agent::Reactor* reactor(const std::string& node) const;
  // Returns the options of the latest agent there, including the boot of its machine.
  [[nodiscard]] const agent::ReactorOptions& agent_options(const std::string& node) const {
    return hosts_.at(node)->options;
  }

  // Starts a scheduler of that name. Requires that none runs. Each start has a new identity.
  void start_scheduler(const std::string& name, scheduler::ReactorOptions options);
  // Ends the process at once. Does nothing if none runs.
  void stop_scheduler(const std::string& name, StopOptions options);
  // The scheduler hands over and ends, as by SIGTERM.
  void end_scheduler(const std::string& name);
  // Returns the running scheduler of that name, or nullptr.
  [[nodiscard]] const VirtualScheduler* scheduler(const std::string& name) const;

  // Starts a program of that name, or takes another one's place, which ends at once. Without
  // latency only.
  void start_program(const std::string& name, std::unique_ptr<InstantProgram> program) {
    programs_[name] = std::move(program);
  }
  [[nodiscard]] bool runs_program(const std::string& name) const {
    return programs_.contains(name);
  }

  // Calls f at that time (now if it is past), before anything else that is due then. Calls for the
  // same time run in the order of registration.
  void at(Span when, std::function<void()> f);

  // Arms a fault of one node's agent, or of a scheduler, from now on.
  void arm(const std::string& node, const ApiFault& fault);
  void arm(const std::string& node, const RuntimeFault& fault);
  void arm(const std::string& node, const DiskFault& fault);
  // The agent or scheduler crashes when it is about to perform that effect, and restarts `down`
  // later.
  void crash(const std::string& node, CrashPoint when, StopOptions how, Span down);
  // Shifts the node's time of day by that much from now on.
  void jump_wall(const std::string& node, Span by);
  // Removes all armed faults.
  void disarm();

  // Performs the next due step; returns false if nothing will ever be due.
  bool step();
  // Performs everything that is due until then, inclusive.
  void run_until(Span until);
  // Runs until only housekeeping is left, or until that time; then it returns false.
  bool run_until_quiescent(Span at_most);
  // When step() would do something.
  [[nodiscard]] std::optional<Span> next_due() const;
  // When something happens without a change of the world: on a node or in a controller, and in a
  // daemon.
  [[nodiscard]] std::optional<Span> next_on_nodes() const;
  [[nodiscard]] std::optional<Span> next_in_daemons() const;

  // Without latency: moves the time there, not backwards, and performs all that happens then, in a
  // fixed order. The nodes come first, each with its daemons; the schedulers see their result.
  // Returns false if the cluster does not come to rest.
  [[nodiscard]] bool settle_at(Span when);
  // True if nothing is planned, running or waited for.
  [[nodiscard]] bool is_quiescent() const;

 private:
  using Steady = VirtualClock::Steady;
  struct Crash {
    CrashPoint when{};
    StopOptions how{};
    Span down{};
  };
  struct Host {
    std::string name{};
    VirtualDisk disk{};
    std::unique_ptr<VirtualNode> node{};
    std::chrono::microseconds wall_off{0};
    agent::ReactorOptions options{};
    std::unique_ptr<VirtualAgent> agent{};
    std::unique_ptr<VirtualAgent> kubelet{};
    std::optional<Crash> crash{};
    std::uint64_t starts = 0;
    std::uint64_t boots = 1;
    std::uint64_t seen_version = 0;  // of the world, seen by its node
  };

  // The place of a scheduler, running or not.
  struct Seat {
    std::string name{};
    std::chrono::microseconds wall_off{0};
    scheduler::ReactorOptions options{};
    std::unique_ptr<VirtualScheduler> runs{};
    InstantSchedulerLine::Record record{};
    std::optional<Crash> crash{};
    std::uint64_t starts = 0;
  };

  [[nodiscard]] std::optional<Steady::time_point> due() const;
  [[nodiscard]] std::optional<Steady::time_point> due_on_nodes() const;
  [[nodiscard]] std::optional<Steady::time_point> due_in_daemons() const;
  [[nodiscard]] std::optional<Span> since_begin(std::optional<Steady::time_point> at) const;
  [[nodiscard]] agent::Boot boot_of(const Host& host) const;
  [[nodiscard]] std::unique_ptr<VirtualAgent> agent_on(Host& host,
                                                       const agent::ReactorOptions& options,
                                                       const VirtualAgentReports& reports,
                                                       std::uint64_t seed);
  [[nodiscard]] bool settle();
  bool settle_host(Host& host);
  void step_scheduler(Seat& seat);
  void end_if_crashed(Host& host);
  void end_if_over(Seat& seat);
  void advance_to(Steady::time_point then);
  bool step_controllers();
  void tell_changes();
  void step_agent(Host& host);
  void step_node(Host& host);
  void met(const std::string& node, std::string_view fault) const;
  [[nodiscard]] VirtualAgentReports reports_for(const std::string& node);

  SimulationOptions options_;
  SimulationHooks hooks_;
  VirtualClock clock_;
  Steady::time_point begin_;
  World world_;
  PodsByNode placed_{world_};
  PodGroupProtection protection_{world_};
  Controllers controllers_{world_};
  ApiService service_;
  std::multimap<Steady::time_point, std::function<void()>> planned_;
  std::map<std::string, std::unique_ptr<Host>, std::less<>> hosts_;
  std::map<std::string, std::unique_ptr<Seat>, std::less<>> seats_;
  std::map<std::string, std::unique_ptr<InstantProgram>, std::less<>> programs_{};
  std::uint64_t reported_version_ = 0;
};

}  // namespace elbowroom::lab
