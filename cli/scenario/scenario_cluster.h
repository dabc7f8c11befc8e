// The cluster of a scenario: a simulation without latency in which every node runs pods and has the
// agents that the scenario asks for, and its scheduler. The caller sets the time; the cluster comes
// to rest and returns when something will happen next. Equal inputs give equal runs.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/evict/eviction_decision.h"
#include "cli/scenario/decision_log.h"
#include "cli/scenario/scenario.h"
#include "cli/scenario/timeline.h"
#include "lab/scheduler_mode.h"
#include "lab/virtual/simulation.h"
#include "lab/world/reported_event.h"
#include "lab/world/world.h"
#include "policy/model/time.h"

namespace elbowroom::cli {

class ScenarioCluster {
 public:
  using Millis = std::chrono::milliseconds;

  // `start` is the time at 0s; `validates_capacity`: the API server refuses resizes above
  // allocatable.
  ScenarioCluster(const Scenario& scenario, policy::Time start, bool validates_capacity);
  ScenarioCluster(const ScenarioCluster&) = delete;
  ScenarioCluster& operator=(const ScenarioCluster&) = delete;

  [[nodiscard]] lab::World& world() { return simulation_.world(); }
  // Whether objects of apps/v1 have an effect.
  [[nodiscard]] bool has_controllers() const { return has_controllers_; }

  // Lets nodes run the pods bound to them at 0s, before any resize is judged.
  [[nodiscard]] Result<void> start_pods();

  // Performs everything that happens at that time. Exhausted: the cluster does not come to rest.
  [[nodiscard]] Result<void> settle(Millis at);

  // When something happens without input: on a node, or because an agent or the scheduler waits for
  // that time.
  [[nodiscard]] std::optional<Millis> next_on_nodes() const;
  [[nodiscard]] std::optional<Millis> next_in_daemons() const;

  // Changes whenever an object or a runtime changes.
  // What the rescheduler changes does not count: it renews the status of budgets for ever.
  [[nodiscard]] std::uint64_t version() const { return simulation_.version() - kept_; }

  // NotFound: the node, the pod or the node's agent does not exist.
  [[nodiscard]] Result<void> exit_pod(std::string_view ns, std::string_view name);
  // Asks the cluster's API server, as `elbowroom evict` does, without waiting for a budget.
  [[nodiscard]] Result<EvictionDecision> evict(const ObjectName& pod, bool avoids_node);
  [[nodiscard]] Result<void> restart_agent(const std::string& node);
  // NotFound: there is no scheduler.
  [[nodiscard]] Result<void> restart_scheduler();
  // NotFound: there is no rescheduler.
  [[nodiscard]] Result<void> restart_rescheduler();

  // Returns the scheduler's decisions since the last call.
  [[nodiscard]] std::vector<SchedulerDecision> take_decisions() { return decisions_.take(); }

  // Returns what the rescheduler did with pods since the last call: Evict and Blocked, without
  // their times.
  [[nodiscard]] std::vector<TimelineEvent> take_moves() { return std::exchange(moves_, {}); }

  // Returns the events since the last call, of agents by node, then of the scheduler.
  [[nodiscard]] std::vector<lab::ReportedEvent> take_events();

  // Nothing if the pod does not wait for a decision, or had no turn yet.
  [[nodiscard]] std::optional<Judgement> judgement_of(std::string_view pod) const;

 private:
  struct Node {
    bool has_agents = false;
    std::vector<lab::ReportedEvent> events{};
  };

  [[nodiscard]] lab::SimulationHooks hooks();
  void find_nodes();
  void add_node(const std::string& name);
  void start_agents();
  void start_agent(const std::string& node);
  void start_scheduler();
  void start_rescheduler();
  [[nodiscard]] const scheduler::Reactor& reactor() const;
  void note_event(const std::string& node, const agent::Effect& effect);
  void note_event(const scheduler::Effect& effect);
  void note_event(const control::EmitEvent& event);
  [[nodiscard]] Result<void> come_to_rest(Millis at);

  Agents agents_;
  lab::SchedulerMode mode_;
  std::set<std::string, std::less<>> yield_to_;
  bool has_controllers_;
  bool has_rescheduler_;
  std::uint64_t kept_ = 0;  // writes of the rescheduler
  lab::Simulation simulation_;
  DecisionLog decisions_;
  std::uint64_t known_version_ = 0;
  std::map<std::string, Node, std::less<>> nodes_{};  // by name
  std::vector<lab::ReportedEvent> events_{};          // of scheduler and rescheduler
  std::vector<TimelineEvent> moves_{};
  // Uid and reason of events that exist once per object: an API server rejects a second one.
  std::set<std::pair<std::string, std::string>> once_{};
};

}  // namespace elbowroom::cli
