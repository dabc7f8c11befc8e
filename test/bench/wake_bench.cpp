// What an event costs a scheduler in mode full, in the world `mixed` (worlds.h): a pod that changes
// its size or its labels, a node that changes its taints, a budget that changes its status. And
// what the first of them costs beside a thousand pending pods that it cannot help, each of which
// asks for something else: too much, a node that does not exist, or to be apart from others. A
// hundred such changes a second are a usual cluster; 200 us for each would be two percent of a
// core.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/reactor.h"
#include "test/bench/worlds.h"
#include "test/scheduler_world.h"

namespace {

using namespace elbowroom;
using namespace std::chrono_literals;

constexpr std::size_t kHopeless = 1'000;

policy::Pod hopeless(const bench::World& world, std::size_t number) {
  policy::Pod pod = bench::pending_in(world, number);
  pod.scheduler_name = "elbowroom";
  pod.created = bench::kWorldTime;
  const auto more = static_cast<std::int64_t>(number);
  std::int64_t& cpu = pod.containers.front().desired.requests.cpu.value;
  switch (number % 3) {
    case 0:
      cpu = 1'000'000 + more;
      break;
    case 1:
      cpu += more;
      pod.placement.node_selector = {{bench::kZone, "zone-" + std::to_string(100 + number)}};
      break;
    default:
      cpu = 900'000 + more;
      pod.placement.required_anti_affinity = {bench::beside(pod, bench::kHostname)};
      pod.placement.spread = {bench::spread_over(pod, bench::kZone, 1, true)};
  }
  return pod;
}

class Crowd {
 public:
  Crowd(std::size_t nodes, std::size_t hopeless_pods) : reactor_(options()), nodes_(nodes) {
    scheduler::NodesListed listed;
    scheduler::PodsListed pods;
    for (std::size_t node = 0; node < nodes; ++node) {
      listed.objects.push_back(bench::node_in(world_, node, false));
      for (std::size_t pod = 0; pod < bench::pods_on(world_, node); ++pod) {
        pods.objects.push_back(cluster::PackedPod::packed(bench::pod_in(world_, node, pod)));
      }
    }
    for (std::size_t i = 0; i < hopeless_pods; ++i) {
      pods.objects.push_back(cluster::PackedPod::packed(hopeless(world_, i)));
    }
    scheduler::BudgetsListed budgets;
    budgets.objects = budgets_;
    tell(std::move(listed));
    tell(std::move(pods));
    tell(std::move(budgets));
    tell(scheduler::OwnBudgetsListed{});
    tell(scheduler::NamespacesListed{});
    tell(scheduler::PodGroupsListed{});
    tell(control::Listed<scheduler::ServiceOf>{});
    tell(control::Listed<scheduler::ReplicationControllerOf>{});
    tell(control::Listed<scheduler::ReplicaSetOf>{});
    tell(control::Listed<scheduler::StatefulSetOf>{});
    tell(scheduler::ClaimsListed{});
    tell(scheduler::VolumesListed{});
    tell(scheduler::StorageClassesListed{});
    tell(scheduler::CsiNodesListed{});
    tell(scheduler::CsiDriversListed{});
    tell(scheduler::StorageCapacitiesListed{});
    tell(scheduler::PolicyFieldProbed{false});
    if (!reactor_.is_synced()) throw std::logic_error("the reactor does not act");
    while (reactor_.queue().has_active()) tell(scheduler::TimePassed{});
  }

  // One pod of some node asks for a little less, or for as much as before.
  [[nodiscard]] scheduler::PodSeen shrinking(std::size_t turn) const {
    policy::Pod pod = bench::pod_in(world_, turn * 37 % nodes_, 1);
    const std::int64_t less = (turn / nodes_) % 2 == 0 ? 10 : 0;
    for (auto* each :
         {&pod.containers.front().desired.requests, &*pod.containers.front().allocated_requests,
          &*pod.containers.front().actual_requests}) {
      each->cpu.value -= less;
    }
    return {cluster::PackedPod::packed(pod)};
  }
  [[nodiscard]] scheduler::PodSeen relabelled(std::size_t turn) const {
    policy::Pod pod = bench::pod_in(world_, turn * 37 % nodes_, 1);
    pod.labels["round"] = std::to_string(turn);
    return {cluster::PackedPod::packed(pod)};
  }
  [[nodiscard]] scheduler::NodeSeen tainted(std::size_t turn) const {
    policy::Node node = bench::node_in(world_, turn * 37 % nodes_, false);
    node.taints.push_back({.key = "round", .value = std::to_string(turn)});
    return {std::move(node)};
  }
  [[nodiscard]] scheduler::BudgetSeen allowing(std::size_t turn) const {
    policy::PodDisruptionBudget budget = budgets_[turn % budgets_.size()];
    budget.disruptions_allowed = static_cast<std::int64_t>(turn % 7);
    return {std::move(budget)};
  }

  // A pod of the node with 110 pods waits for room; some pods would be removed for it.
  void defer_on_large_node() {
    policy::Pod pod = test::deferred(bench::pod_in(world_, kLargeNode, 1), 9'000);
    pod.priority = 1'000'000;
    tell(scheduler::PodSeen{cluster::PackedPod::packed(pod)});
  }
  // Its node changes what it has, so that it is judged again.
  [[nodiscard]] scheduler::NodeSeen changing_large_node(std::size_t turn) const {
    policy::Node node = bench::node_in(world_, kLargeNode, false);
    node.allocatable.cpu.value += static_cast<std::int64_t>(1 - turn % 2);
    return {std::move(node)};
  }
  static constexpr std::size_t kLargeNode = 0;

  // Ten milliseconds after the one before.
  template <class Event>
  void see(Event event) {
    now_ += 9ms;
    tell(std::move(event));
  }

  // So many events that each is a change, also when they are seen again in the same order.
  template <class Event>
  [[nodiscard]] std::vector<Event> events(Event (Crowd::*event)(std::size_t) const) const {
    std::vector<Event> made;
    for (std::size_t turn = 0; turn < 2 * nodes_; ++turn) made.push_back((this->*event)(turn));
    return made;
  }

  [[nodiscard]] std::uint64_t turns() const { return reactor_.counts().all_turns(); }

 private:
  static scheduler::ReactorOptions options() {
    scheduler::ReactorOptions options = test::SchedulerWorld::usual();
    options.places_for = {"elbowroom"};
    options.dry_run = true;
    return options;
  }

  template <class What>
  void tell(What what) {
    now_ += 1ms;
    benchmark::DoNotOptimize(reactor_.handle(
        {.at = {.since_start = now_, .wall = bench::kWorldTime + now_}, .what = std::move(what)}));
  }

  const bench::World& world_ = bench::kWorlds.back();
  scheduler::Reactor reactor_;
  std::size_t nodes_;
  std::vector<policy::PodDisruptionBudget> budgets_ = bench::budgets_in(world_);
  std::chrono::milliseconds now_{0};
};

// The events are made before, as a decoder makes them in its own thread.
template <class Event>
void take_in(Crowd& crowd, Event (Crowd::*event)(std::size_t) const, benchmark::State& state) {
  const std::vector<Event> events = crowd.events(event);
  std::size_t turn = 0;
  for (auto _ : state) crowd.see(events[turn++ % events.size()]);
}

void unrelated_change(benchmark::State& state) {
  Crowd crowd(static_cast<std::size_t>(state.range(0)), kHopeless);
  const std::uint64_t before = crowd.turns();
  take_in(crowd, &Crowd::shrinking, state);
  state.counters["turns"] =
      static_cast<double>(crowd.turns() - before) / static_cast<double>(state.iterations());
}

void judge_again(benchmark::State& state) {
  Crowd crowd(1'000, 0);
  crowd.defer_on_large_node();
  const std::uint64_t before = crowd.turns();
  take_in(crowd, &Crowd::changing_large_node, state);
  if (std::cmp_not_equal(crowd.turns() - before, state.iterations())) {
    state.SkipWithError("the pod was not judged");
  }
}

template <auto event>
void take_in_event(benchmark::State& state) {
  Crowd crowd(static_cast<std::size_t>(state.range(0)), 0);
  take_in(crowd, event, state);
}

}  // namespace

BENCHMARK(unrelated_change)
    ->Name("scheduler/change_beside_1000_hopeless/mixed")
    ->Arg(5'000)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(judge_again)->Name("scheduler/judge_deferred/mixed")->Unit(benchmark::kMicrosecond);
BENCHMARK(take_in_event<&Crowd::shrinking>)
    ->Name("scheduler/event_of_pod/mixed")
    ->Arg(1'000)
    ->Arg(5'000)
    ->Arg(15'000)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(take_in_event<&Crowd::relabelled>)
    ->Name("scheduler/event_of_labels/mixed")
    ->Arg(5'000)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(take_in_event<&Crowd::tainted>)
    ->Name("scheduler/event_of_node/mixed")
    ->Arg(5'000)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(take_in_event<&Crowd::allowing>)
    ->Name("scheduler/event_of_budget/mixed")
    ->Arg(1'000)
    ->Arg(5'000)
    ->Arg(15'000)
    ->Unit(benchmark::kMicrosecond);
