// A cluster in virtual time on one thread: a world of API objects, nodes that run pods, real agents
// and real schedulers, with every fault that the lab knows. The same seed and the same calls give
// the same run, step for step; nothing happens outside step().
//
//   Simulation sim({.seed = 7});
//   sim.world().load(node);                                   // objects at 0s
//   sim.add_node("node1");                                    // its runtime and pod runner
//   sim.start_agent("node1", {.node_name = "node1", .authority = true});
//   sim.at(10s, [&] { sim.world().patch(...); });             // changes of the world, in time
//   sim.at(50s, [&] { sim.stop_agent("node1", {}); });        // one that is lost, and comes back
//   sim.at(55s, [&] { sim.start_agent("node1", ...); });
//   sim.run_until(5min);          // or run_until_quiescent(1h): until nothing more will happen
//
// What happened is heard by SimulationHooks: every observation before a reactor handles it, every
// effect when it is decided and when it is performed, every change of the world (what changed says
// World::changes_after), every fault that was met. A scheduler has a name of its own, which is no
// node's; whatever is asked of a node's agent by its name is asked of a scheduler by that.
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
#include "lab/node/runtime_fault.h"
#include "lab/virtual/virtual_agent.h"
#include "lab/virtual/virtual_clock.h"
#include "lab/virtual/virtual_disk.h"
#include "lab/virtual/virtual_node.h"
#include "lab/virtual/virtual_scheduler.h"
#include "lab/world/world.h"

namespace elbowroom::lab {

struct SimulationOptions {
  std::uint64_t seed = 1;
  // What the API server's clock says at 0s.
  policy::Time start = policy::Time(std::chrono::seconds(1'767'225'600));  // 2026-01-01T00:00:00Z
  WorldOptions world{};
};

// Each is called in the order in which things happen; none may change the simulation.
struct SimulationHooks {
  std::function<void(const std::string& node, const agent::Observation&)> observed{};
  std::function<void(const std::string& node, const agent::Effect&)> decided{};
  std::function<void(const std::string& node, const agent::Effect&)> performing{};
  std::function<void(const std::string& node, const api::Request&)> asked{};  // of the API server
  std::function<void()> world_changed{};  // once for all changes of one step
  // "Refused", "Status/429", "ENOSPC/Write", "NotApplied", "Crash", ...: each time it is met.
  std::function<void(const std::string& node, std::string_view fault)> fault{};
  std::function<void(const std::string& node, const agent::Restored&)> restored{};
  // Of schedulers, by their names; `asked` and `fault` are theirs too.
  std::function<void(const std::string& name)> began{};  // a process
  std::function<void(const std::string& name, const scheduler::Observation&)> seen{};
  std::function<void(const std::string& name, const scheduler::Effect&)> resolved{};
};

struct StopOptions {
  bool writes_arrive = true;  // writes that are on their way to the API
  bool power_cut = false;     // what was not synced to its disk is gone

  friend bool operator==(const StopOptions&, const StopOptions&) = default;
};

class Simulation {
 public:
  using Span = std::chrono::microseconds;

  explicit Simulation(SimulationOptions options, SimulationHooks hooks = {});
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // May be changed between steps and by at(); its time is set.
  [[nodiscard]] World& world() { return world_; }
  [[nodiscard]] ApiService& api() { return service_; }
  [[nodiscard]] const VirtualClock& clock() const { return clock_; }
  // Since 0s.
  [[nodiscard]] Span elapsed() const;

  // A node that runs pods; its Node object is the caller's.
  void add_node(const std::string& name, bool manages_pod_cgroups = true);
  [[nodiscard]] VirtualNode& node(const std::string& name) { return *hosts_.at(name)->node; }
  [[nodiscard]] VirtualDisk& disk(const std::string& name) { return hosts_.at(name)->disk; }

  // Starts an agent on a node that has none, on what is on the node's disk.
  void start_agent(const std::string& node, agent::ReactorOptions options);
  // The process ends at once, as by kill -9; nothing where none runs.
  void stop_agent(const std::string& node, StopOptions options);
  // The agent that runs there, or nullptr.
  [[nodiscard]] const agent::Reactor* reactor(const std::string& node) const;
  // What the latest agent there was started with, the run of its machine included.
  [[nodiscard]] const agent::ReactorOptions& agent_options(const std::string& node) const {
    return hosts_.at(node)->options;
  }

  // Starts a scheduler of that name, where none runs; its identity is a new one for each start.
  void start_scheduler(const std::string& name, scheduler::ReactorOptions options);
  // The process ends at once; nothing where none runs.
  void stop_scheduler(const std::string& name, StopOptions options);
  // It hands over and ends, as by SIGTERM.
  void end_scheduler(const std::string& name);
  // The one that runs by that name, or nullptr.
  [[nodiscard]] const VirtualScheduler* scheduler(const std::string& name) const;

  // Runs f at that time (now, where it is past), before anything else that is due then; those of
  // one time in the order of the calls.
  void at(Span when, std::function<void()> f);

  // Faults of one node's agent, or of a scheduler, from now on.
  void arm(const std::string& node, const ApiFault& fault);
  void arm(const std::string& node, const RuntimeFault& fault);
  void arm(const std::string& node, const DiskFault& fault);
  // The agent or scheduler is lost when it is about to perform that effect, and starts again `down`
  // later.
  void crash(const std::string& node, CrashPoint when, StopOptions how, Span down);
  // The node's time of day is off by that much more from now on.
  void jump_wall(const std::string& node, Span by);
  // No fault that is armed still is met any more.
  void disarm();

  // The next thing that is due; false where nothing is, ever.
  bool step();
  // Everything that is due until then, that moment included.
  void run_until(Span until);
  // Until nothing but housekeeping would happen, at most until then; false where it still does.
  bool run_until_quiescent(Span at_most);
  // When step() would do something.
  [[nodiscard]] std::optional<Span> next_due() const;
  // True where nothing is planned, running or waited for.
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
    std::optional<Crash> crash{};
    std::uint64_t starts = 0;
    std::uint64_t boots = 1;
    std::uint64_t seen_version = 0;  // of the world, by its node
  };

  // Where a scheduler runs, or ran.
  struct Seat {
    std::string name{};
    std::chrono::microseconds wall_off{0};
    scheduler::ReactorOptions options{};
    std::unique_ptr<VirtualScheduler> runs{};
    std::optional<Crash> crash{};
    std::uint64_t starts = 0;
  };

  [[nodiscard]] std::optional<Steady::time_point> due() const;
  void step_scheduler(Seat& seat);
  void advance_to(Steady::time_point then);
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
  ApiService service_;
  std::multimap<Steady::time_point, std::function<void()>> planned_;
  std::map<std::string, std::unique_ptr<Host>, std::less<>> hosts_;
  std::map<std::string, std::unique_ptr<Seat>, std::less<>> seats_;
  std::uint64_t reported_version_ = 0;
};

[[nodiscard]] std::string to_string(const ApiFault& fault);
[[nodiscard]] std::string to_string(const RuntimeFault& fault);
[[nodiscard]] std::string to_string(const DiskFault& fault);

}  // namespace elbowroom::lab
