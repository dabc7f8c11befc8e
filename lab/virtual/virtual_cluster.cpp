#include "lab/virtual/virtual_cluster.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace elbowroom::lab {
namespace {

// Far more than any instant needs: 5,000 pods that all start, resize and end at once.
constexpr std::size_t kMostSteps = 200'000;

WorldOptions world_options(const VirtualClusterOptions& options) {
  WorldOptions of;
  of.history = std::size_t{1} << 16U;
  of.validates_capacity = options.validates_capacity;
  return of;
}

std::vector<AgentRole> roles_of(Agents agents) {
  switch (agents) {
    case Agents::Authority:
      return {AgentRole::Authority};
    case Agents::Companion:
      return {AgentRole::Kubelet, AgentRole::Companion};
    case Agents::None:
      return {};
  }
  return {};
}

void sooner(std::optional<policy::Time>& of, std::optional<policy::Time> than) {
  if (than) of = std::min(of.value_or(*than), *than);
}

}  // namespace

VirtualCluster::VirtualCluster(VirtualClusterOptions options)
    : options_(std::move(options)), world_(world_options(options_)) {
  if (options_.scheduler != SchedulerMode::None) {
    scheduler_.emplace(world_, options_.scheduler, options_.yield_to);
  }
}

void VirtualCluster::add_node(const std::string& name) {
  if (name.empty() || nodes_.contains(name)) return;
  Node& node = nodes_[name];
  node.runs = std::make_unique<VirtualNode>(world_, placed_, VirtualNodeOptions{.node_name = name});
  for (const AgentRole role : roles_of(options_.agents)) {
    node.agents.push_back(std::make_unique<DirectAgent>(world_, placed_, *node.runs, name, role));
  }
}

// A node exists once it has an object, or a pod is bound to it.
void VirtualCluster::find_nodes() {
  if (world_.version() == known_version_) return;
  const std::uint64_t since = std::exchange(known_version_, world_.version());
  const auto look = [&](const Kind& kind, const auto& node_in) {
    const auto changed = since == 0 ? std::nullopt : world_.changed_after(kind, since);
    if (!changed) {
      for (const Json* object : world_.all_stored_objects(kind)) add_node(node_in(*object));
      return;
    }
    for (const ChangedObject& each : *changed) {
      const Json* object = world_.peek(kind, each.ns, each.name);
      if (object != nullptr) add_node(node_in(*object));
    }
  };
  look(*find_kind("", "v1", "nodes"),
       [](const Json& node) { return text_at(node, {"metadata", "name"}); });
  look(*find_kind("", "v1", "pods"),
       [](const Json& pod) { return text_at(pod, {"spec", "nodeName"}); });
}

Result<void> VirtualCluster::run(policy::Time now, bool with_agents) {
  world_.set_time(now);
  for (std::size_t steps = 0; steps < kMostSteps; ++steps) {
    find_nodes();
    bool moved = false;
    for (auto& [name, node] : nodes_) {
      // The node's own steps come first: a pod whose containers have ended is gone before an agent
      // uses its room.
      while (steps < kMostSteps && node.runs->step(now)) {
        moved = true;
        ++steps;
      }
      if (!with_agents) continue;
      for (const auto& agent : node.agents) moved = agent->step(now) || moved;
    }
    // The node's agents come first; the scheduler sees their result.
    if (!moved && with_agents && scheduler_) moved = scheduler_->step(now);
    if (!moved) return {};
  }
  return failure(Code::Exhausted,
                 "the cluster does not come to rest: something changes without end");
}

Result<void> VirtualCluster::start_pods(policy::Time now) { return run(now, false); }
Result<void> VirtualCluster::settle(policy::Time now) { return run(now, true); }

std::optional<policy::Time> VirtualCluster::next_on_nodes() const {
  std::optional<policy::Time> next;
  for (const auto& [name, node] : nodes_) sooner(next, node.runs->next_due());
  return next;
}

std::optional<policy::Time> VirtualCluster::next_in_daemons() const {
  std::optional<policy::Time> next;
  for (const auto& [name, node] : nodes_) {
    for (const auto& agent : node.agents) sooner(next, agent->next_due());
  }
  if (scheduler_) sooner(next, scheduler_->next_due());
  return next;
}

std::uint64_t VirtualCluster::version() const {
  std::uint64_t sum = world_.version();
  for (const auto& [name, node] : nodes_) sum += node.runs->runtime_version();
  return sum;
}

Result<void> VirtualCluster::exit_pod(std::string_view ns, std::string_view name) {
  const Json* pod = world_.peek(*find_kind("", "v1", "pods"), ns, name);
  const std::string node = pod == nullptr ? "" : text_at(*pod, {"spec", "nodeName"});
  const auto at = nodes_.find(node);
  if (at == nodes_.end()) {
    return failure(Code::NotFound, "pod " + std::string(ns) + "/" + std::string(name) +
                                       (pod == nullptr ? " is not there" : " runs on no node"));
  }
  return at->second.runs->exit(ns, name);
}

Result<void> VirtualCluster::restart_agent(std::string_view node) {
  const auto at = nodes_.find(node);
  if (at == nodes_.end()) return failure(Code::NotFound, "there is no node " + std::string(node));
  if (at->second.agents.empty()) {
    return failure(Code::NotFound,
                   "node " + std::string(node) + " has no agent: spec.agents is none");
  }
  // The kubelet beside a companion keeps running.
  at->second.agents.back()->restart();
  return {};
}

Result<void> VirtualCluster::restart_scheduler() {
  if (!scheduler_) return failure(Code::NotFound, "there is no scheduler: spec.scheduler is none");
  scheduler_->restart();
  return {};
}

std::vector<SchedulerDecision> VirtualCluster::take_decisions() {
  if (!scheduler_) return {};
  return scheduler_->take_decisions();
}

std::vector<ReportedEvent> VirtualCluster::take_events() {
  std::vector<ReportedEvent> events;
  for (auto& [name, node] : nodes_) {
    for (const auto& agent : node.agents)
      std::ranges::move(agent->take_events(), std::back_inserter(events));
  }
  if (scheduler_) std::ranges::move(scheduler_->take_events(), std::back_inserter(events));
  return events;
}

std::optional<Judgement> VirtualCluster::judgement_of(std::string_view pod) const {
  return scheduler_ ? scheduler_->judgement_of(pod) : std::nullopt;
}

}  // namespace elbowroom::lab
