#include "cli/scenario/scenario_cluster.h"

#include <algorithm>
#include <iterator>
#include <memory>

#include "cli/evict/eviction.h"
#include "cli/scenario/instant_rescheduler.h"
#include "lab/virtual/instant_transport.h"
#include "scheduler/event_table.h"

namespace elbowroom::cli {
namespace {

// Of the simulation's processes.
const std::string kScheduler = "scheduler";
const std::string kRescheduler = "rescheduler";

lab::SimulationOptions options_of(const Scenario& scenario, policy::Time start,
                                  bool validates_capacity) {
  lab::SimulationOptions options{
      .start = start, .latency = lab::Latency::None, .controllers = scenario.controllers};
  options.world.history = std::size_t{1} << 16U;
  options.world.validates_capacity = validates_capacity;
  return options;
}

std::optional<std::chrono::milliseconds> in_millis(std::optional<lab::Simulation::Span> at) {
  if (!at) return std::nullopt;
  return std::max(std::chrono::ceil<std::chrono::milliseconds>(*at), std::chrono::milliseconds(0));
}

}  // namespace

ScenarioCluster::ScenarioCluster(const Scenario& scenario, policy::Time start,
                                 bool validates_capacity)
    : agents_(scenario.agents),
      mode_(scenario.scheduler),
      yield_to_(scenario.yield_to),
      has_controllers_(scenario.controllers),
      has_rescheduler_(scenario.rescheduler),
      simulation_(options_of(scenario, start, validates_capacity), hooks()),
      decisions_(simulation_.world()) {}

lab::SimulationHooks ScenarioCluster::hooks() {
  lab::SimulationHooks hooks;
  hooks.decided = [this](const std::string& node, const agent::Effect& effect) {
    note_event(node, effect);
  };
  hooks.seen = [this](const std::string&, const scheduler::Observation&) {
    decisions_.begin(reactor());
  };
  hooks.resolved = [this](const std::string&, const scheduler::Effect& effect) {
    decisions_.add(effect);
    note_event(effect);
  };
  hooks.stepped = [this](const std::string&) { decisions_.end(reactor()); };
  return hooks;
}

// ---- nodes and daemons ----

void ScenarioCluster::add_node(const std::string& name) {
  if (name.empty() || !nodes_.try_emplace(name).second) return;
  simulation_.add_node(name);
}

// A node exists once it has an object, or a pod is bound to it.
void ScenarioCluster::find_nodes() {
  lab::World& world = simulation_.world();
  if (world.version() == known_version_) return;
  const std::uint64_t since = std::exchange(known_version_, world.version());
  const auto look = [&](const lab::Kind& kind, const auto& node_in) {
    const auto changed = since == 0 ? std::nullopt : world.changed_after(kind, since);
    if (!changed) {
      for (const lab::Json* object : world.all_stored_objects(kind)) add_node(node_in(*object));
      return;
    }
    for (const lab::ChangedObject& each : *changed) {
      const lab::Json* object = world.peek(kind, each.ns, each.name);
      if (object != nullptr) add_node(node_in(*object));
    }
  };
  look(*lab::find_kind("", "v1", "nodes"),
       [](const lab::Json& node) { return lab::text_at(node, {"metadata", "name"}); });
  look(*lab::find_kind("", "v1", "pods"),
       [](const lab::Json& pod) { return lab::text_at(pod, {"spec", "nodeName"}); });
}

void ScenarioCluster::start_agents() {
  for (auto& [name, node] : nodes_) {
    if (agents_ == Agents::None || std::exchange(node.has_agents, true)) continue;
    if (agents_ == Agents::Companion) simulation_.start_kubelet(name);
    start_agent(name);
  }
}

void ScenarioCluster::start_agent(const std::string& node) {
  agent::ReactorOptions options;
  options.node_name = node;
  options.authority = agents_ == Agents::Authority;
  options.critical_preemption = options.authority;
  simulation_.start_agent(node, std::move(options));
}

void ScenarioCluster::start_scheduler() {
  scheduler::ReactorOptions options;
  options.leader_elect = false;
  options.yield_to = yield_to_;
  options.places_for = lab::placed_in(mode_);
  simulation_.start_scheduler(kScheduler, std::move(options));
}

const scheduler::Reactor& ScenarioCluster::reactor() const {
  return simulation_.scheduler(kScheduler)->reactor();
}

Result<void> ScenarioCluster::restart_agent(const std::string& node) {
  const auto at = nodes_.find(node);
  if (at == nodes_.end()) return failure(Code::NotFound, "there is no node " + node);
  if (!at->second.has_agents) {
    return failure(Code::NotFound, "node " + node + " has no agent: spec.agents is none");
  }
  // The kubelet beside a companion keeps running.
  simulation_.stop_agent(node, {});
  start_agent(node);
  return {};
}

Result<void> ScenarioCluster::restart_scheduler() {
  if (mode_ == lab::SchedulerMode::None) {
    return failure(Code::NotFound, "there is no scheduler: spec.scheduler is none");
  }
  simulation_.stop_scheduler(kScheduler, {});
  decisions_.restart();
  start_scheduler();
  return {};
}

void ScenarioCluster::start_rescheduler() {
  simulation_.start_program(
      kRescheduler,
      std::make_unique<InstantRescheduler>(
          InstantRescheduler::Cluster{world(), simulation_.api(), simulation_.clock()}, kept_,
          [this](const control::EmitEvent& event) { note_event(event); }));
}

Result<void> ScenarioCluster::restart_rescheduler() {
  if (!has_rescheduler_) {
    return failure(Code::NotFound, "there is no rescheduler: spec.rescheduler is none");
  }
  start_rescheduler();
  return {};
}

Result<EvictionDecision> ScenarioCluster::evict(const ObjectName& pod, bool avoids_node) {
  const auto connection = [this] {
    return std::make_unique<lab::InstantTransport>(simulation_.api(), simulation_.clock());
  };
  ClusterReader reader("the cluster of the scenario", connection());
  ClusterWriter writer("the cluster of the scenario", connection());
  EvictionWish wish{.pod = pod};
  if (avoids_node) wish.avoid_for = std::chrono::hours(1);
  return cli::evict(reader, writer, wish,
                    {.now = [this] { return simulation_.clock().now; },
                     .pause = [](std::chrono::milliseconds) {},
                     .tell = [](const std::string&) {}});
}

Result<void> ScenarioCluster::exit_pod(std::string_view ns, std::string_view name) {
  const lab::Json* pod = world().peek(*lab::find_kind("", "v1", "pods"), ns, name);
  const std::string node = pod == nullptr ? "" : lab::text_at(*pod, {"spec", "nodeName"});
  if (!nodes_.contains(node)) {
    return failure(Code::NotFound, "pod " + std::string(ns) + "/" + std::string(name) +
                                       (pod == nullptr ? " is not there" : " runs on no node"));
  }
  return simulation_.node(node).exit(ns, name);
}

// ---- time ----

Result<void> ScenarioCluster::come_to_rest(Millis at) {
  if (simulation_.settle_at(at)) return {};
  return failure(Code::Exhausted,
                 "the cluster does not come to rest: something changes without end");
}

Result<void> ScenarioCluster::start_pods() {
  find_nodes();
  return come_to_rest(Millis(0));
}

Result<void> ScenarioCluster::settle(Millis at) {
  find_nodes();
  start_agents();
  const bool is_missing =
      mode_ != lab::SchedulerMode::None && simulation_.scheduler(kScheduler) == nullptr;
  if (is_missing) start_scheduler();
  if (has_rescheduler_ && !simulation_.runs_program(kRescheduler)) start_rescheduler();
  return come_to_rest(at);
}

std::optional<ScenarioCluster::Millis> ScenarioCluster::next_on_nodes() const {
  return in_millis(simulation_.next_on_nodes());
}

std::optional<ScenarioCluster::Millis> ScenarioCluster::next_in_daemons() const {
  return in_millis(simulation_.next_in_daemons());
}

// ---- what happened ----

void ScenarioCluster::note_event(const std::string& node, const agent::Effect& effect) {
  const auto* event = std::get_if<agent::EmitEvent>(&effect.what);
  if (event == nullptr) return;
  nodes_[node].events.push_back({.by = "agent",
                                 .pod = event->ns.empty() ? "" : event->ns + "/" + event->pod,
                                 .warning = event->warning,
                                 .reason = event->reason,
                                 .note = event->note});
}

void ScenarioCluster::note_event(const scheduler::Effect& effect) {
  const auto* event = std::get_if<scheduler::EmitEvent>(&effect.what);
  if (event == nullptr) return;
  const auto* row = scheduler::find_row(event->reason);
  const bool is_once = row != nullptr && row->is_once;
  if (is_once && !once_.emplace(event->regarding.uid, event->reason).second) return;
  events_.push_back({.by = "scheduler",
                     .pod = event->regarding.ns + "/" + event->regarding.name,
                     .warning = event->warning,
                     .reason = event->reason,
                     .note = event->note});
}

// What the rescheduler tells of a pod is what it has done with it.
void ScenarioCluster::note_event(const control::EmitEvent& event) {
  const std::string pod = event.regarding.ns + "/" + event.regarding.name;
  if (event.kind != control::Subject::Pod) return;
  events_.push_back({.by = "rescheduler",
                     .pod = pod,
                     .warning = event.warning,
                     .reason = event.reason,
                     .note = event.note});
  const lab::Json* object =
      world().peek(*lab::find_kind("", "v1", "pods"), event.regarding.ns, event.regarding.name);
  moves_.push_back({.actor = kRescheduler,
                    .action = event.warning ? "Blocked" : "Evict",
                    .pod = pod,
                    .node = object == nullptr ? "" : lab::text_at(*object, {"spec", "nodeName"}),
                    .why = event.note});
}

std::vector<lab::ReportedEvent> ScenarioCluster::take_events() {
  std::vector<lab::ReportedEvent> events;
  for (auto& [name, node] : nodes_) {
    std::ranges::move(std::exchange(node.events, {}), std::back_inserter(events));
  }
  std::ranges::move(std::exchange(events_, {}), std::back_inserter(events));
  return events;
}

std::optional<Judgement> ScenarioCluster::judgement_of(std::string_view pod) const {
  if (simulation_.scheduler(kScheduler) == nullptr) return std::nullopt;
  const auto& waiting = reactor().waiting();
  const auto at = waiting.find(pod);
  if (at == waiting.end() || !at->second.result) return std::nullopt;
  return Judgement{std::string(row_of(*at->second.result).name), at->second.message};
}

}  // namespace elbowroom::cli
