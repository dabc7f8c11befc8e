// A whole cluster in virtual time on one thread: the world, a virtual node for each Node, the agent
// or kubelet that judges resizes on it, and the scheduler. The caller sets the time; the cluster
// settles and returns when something will happen next. Equal inputs give equal runs.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lab/virtual/direct_agent.h"
#include "lab/virtual/direct_scheduler.h"
#include "lab/virtual/virtual_node.h"
#include "lab/world/pods_by_node.h"
#include "lab/world/world.h"
#include "policy/model/time.h"

namespace elbowroom::lab {

enum class Agents { Authority, Companion, None };

struct VirtualClusterOptions {
  Agents agents = Agents::Authority;
  SchedulerMode scheduler = SchedulerMode::None;
  DirectScheduler::Names yield_to{};  // schedulers that have the first turn
  bool validates_capacity = false;    // the API server refuses resizes above allocatable
};

class VirtualCluster {
 public:
  explicit VirtualCluster(VirtualClusterOptions options);

  [[nodiscard]] World& world() { return world_; }
  [[nodiscard]] const World& world() const { return world_; }

  // Lets nodes run the pods bound to them, before any resize is judged.
  [[nodiscard]] Result<void> start_pods(policy::Time now);

  // Performs everything that happens at that time. Exhausted: the cluster does not settle.
  [[nodiscard]] Result<void> settle(policy::Time now);

  // When something happens without input: on a node, or because an agent or the scheduler waits for
  // that time.
  [[nodiscard]] std::optional<policy::Time> next_on_nodes() const;
  [[nodiscard]] std::optional<policy::Time> next_in_daemons() const;

  // Changes whenever an object or a runtime changes.
  [[nodiscard]] std::uint64_t version() const;

  // NotFound: the node, the pod or the node's agent does not exist.
  [[nodiscard]] Result<void> exit_pod(std::string_view ns, std::string_view name);
  [[nodiscard]] Result<void> restart_agent(std::string_view node);
  // NotFound: there is no scheduler.
  [[nodiscard]] Result<void> restart_scheduler();

  // Returns the scheduler's decisions since the last call.
  [[nodiscard]] std::vector<SchedulerDecision> take_decisions();

  // Returns the events of agents, by node, and of the scheduler since the last call.
  [[nodiscard]] std::vector<ReportedEvent> take_events();

  // Returns the scheduler's latest result for a pod that waits for its decision.
  [[nodiscard]] std::optional<Judgement> judgement_of(std::string_view pod) const;

 private:
  struct Node {
    std::unique_ptr<VirtualNode> runs{};
    std::vector<std::unique_ptr<DirectAgent>> agents{};
  };

  void find_nodes();
  void add_node(const std::string& name);
  [[nodiscard]] Result<void> run(policy::Time now, bool with_agents);

  VirtualClusterOptions options_;
  World world_;
  PodsByNode placed_{world_};
  std::uint64_t known_version_ = 0;
  std::map<std::string, Node, std::less<>> nodes_{};  // by name
  std::optional<DirectScheduler> scheduler_{};
};

}  // namespace elbowroom::lab
