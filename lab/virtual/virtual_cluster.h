// A whole cluster in virtual time on one thread: the world, a virtual node for every node, what
// judges resizes on it, and the scheduler. It is told the time, comes to rest at it, and says when
// something will happen next; two clusters told the same do the same.
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
  DirectScheduler::Names yield_to{};  // whom it gives the first turn
  bool validates_capacity = false;    // the API server refuses resizes above allocatable
};

class VirtualCluster {
 public:
  explicit VirtualCluster(VirtualClusterOptions options);

  [[nodiscard]] World& world() { return world_; }
  [[nodiscard]] const World& world() const { return world_; }

  // Lets nodes run what was bound to them, without anybody judging yet.
  [[nodiscard]] Result<void> start_pods(policy::Time now);

  // Lets everything happen that happens at that time. Exhausted: it does not come to rest.
  [[nodiscard]] Result<void> settle(policy::Time now);

  // When something happens by itself: on a node, or because an agent or the scheduler has waited
  // for it.
  [[nodiscard]] std::optional<policy::Time> next_on_nodes() const;
  [[nodiscard]] std::optional<policy::Time> next_in_daemons() const;

  // Moves whenever an object or a runtime changed.
  [[nodiscard]] std::uint64_t version() const;

  // NotFound: no such node or pod, or no agent there.
  [[nodiscard]] Result<void> exit_pod(std::string_view ns, std::string_view name);
  [[nodiscard]] Result<void> restart_agent(std::string_view node);
  // NotFound: there is no scheduler.
  [[nodiscard]] Result<void> restart_scheduler();

  // What the scheduler decided since the last call.
  [[nodiscard]] std::vector<SchedulerDecision> take_decisions();

  // What agents, by node, and the scheduler told by events since the last call.
  [[nodiscard]] std::vector<ReportedEvent> take_events();

  // The scheduler's last word about a pod that waits for a decision of its.
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
