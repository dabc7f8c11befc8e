// The cost of the scheduler's reactor in a cluster of 5,000 nodes and 50,000 pods: to decide a
// Deferred resize again, and to absorb an event of a pod. Beside each the same in a cluster of one
// node: charges on other nodes must not matter.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <utility>

#include "scheduler/reactor.h"
#include "test/bench/large_cluster.h"
#include "test/scheduler_world.h"

namespace {

using namespace elbowroom;
using namespace std::chrono_literals;

class World {
 public:
  World(std::size_t nodes, std::size_t pods_per_node)
      : reactor_(options()), node_(full_node(0, pods_per_node)) {
    scheduler::NodesListed listed;
    scheduler::PodsListed pods;
    for (std::size_t node = 0; node < nodes; ++node) {
      listed.objects.push_back(full_node(node, pods_per_node));
      for (std::size_t pod = 0; pod < pods_per_node; ++pod) {
        pods.objects.push_back(cluster::PackedPod::packed(bench::pod_of(node, pod)));
      }
    }
    tell(std::move(listed));
    tell(std::move(pods));
    tell(scheduler::BudgetsListed{});
    tell(scheduler::OwnBudgetsListed{});
    tell(scheduler::PodGroupsListed{});
    tell(scheduler::PolicyFieldProbed{false});
    // It lacks room for 3.6 cpus: three pods would be victims.
    policy::Pod waits = test::deferred(bench::pod_of(0, 0), 6'000);
    waits.priority = 1'000'000;
    tell(scheduler::PodSeen{cluster::PackedPod::packed(waits)});
  }

  // A change of the node that requeues its waiting pods; true when the pod was decided again.
  bool judge() {
    node_.allocatable.cpu.value ^= 1;
    const auto before = turns();
    tell(scheduler::NodeSeen{node_});
    return turns() == before + 1;
  }

  // One pod of each of the first nodes is Deferred, too.
  void wait_on(std::size_t nodes) {
    for (std::size_t node = 1; node < nodes; ++node) {
      policy::Pod waits = test::deferred(bench::pod_of(node, 0), 6'000);
      waits.priority = 1'000'000;
      tell(scheduler::PodSeen{cluster::PackedPod::packed(waits)});
    }
  }

  // So many of ours in all namespaces, of which the first thousand are in one.
  void have_budgets(std::size_t count) {
    scheduler::OwnBudgetsListed listed;
    for (std::size_t i = 0; i < count; ++i) listed.objects.push_back(own_budget(i));
    tell(std::move(listed));
  }
  static policy::DisruptionBudget own_budget(std::size_t number) {
    policy::DisruptionBudget budget;
    budget.ns = "team-" + std::to_string(number < 1'000 ? 1 : number % 20);
    budget.name = "rate-" + std::to_string(number);
    budget.uid = "uid-of-" + budget.name;
    budget.selector =
        policy::LabelSelector{.match_labels = {{"app", "web-" + std::to_string(number)}}};
    budget.max_unavailable = policy::IntOrPercent{.value = 20, .percent = true};
    budget.rate_disruptions = 5;
    budget.rate_per = 1h;
    budget.hard = number % 2 == 0;
    return budget;
  }
  void show(const policy::DisruptionBudget& budget) { tell(scheduler::OwnBudgetSeen{budget}); }

  void show(const policy::PodDisruptionBudget& budget) { tell(scheduler::BudgetSeen{budget}); }

  void show(const cluster::PackedPod& pod) { tell(scheduler::PodSeen{pod}); }

 private:
  // A dry run decides like any other and leaves the cluster unchanged.
  static scheduler::ReactorOptions options() {
    scheduler::ReactorOptions options = test::SchedulerWorld::usual();
    options.dry_run = true;
    return options;
  }

  static policy::Node full_node(std::size_t number, std::size_t pods) {
    policy::Node node = bench::node_of(number);
    node.allocatable.cpu.value = static_cast<std::int64_t>(pods) * 1'500 + 1'000;
    node.allocatable.memory.value = std::int64_t{256} << 30;
    return node;
  }

  template <class What>
  void tell(What what) {
    now_ += 1ms;
    benchmark::DoNotOptimize(
        reactor_.handle({.at = {.since_start = now_, .wall = policy::Time{1'780'000'000s} + now_},
                         .what = std::move(what)}));
  }

  [[nodiscard]] std::uint64_t turns() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t each : reactor_.counts().turns) sum += each;
    return sum;
  }

  scheduler::Reactor reactor_;
  policy::Node node_;
  std::chrono::milliseconds now_{0};
};

void judge(benchmark::State& state) {
  World world(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  for (auto _ : state) {
    if (!world.judge()) {
      state.SkipWithError("the pod was not judged");
      return;
    }
  }
}

// A pod changes on a node without waiting pods, as nearly all events are.
void take_in(benchmark::State& state) {
  const auto nodes = static_cast<std::size_t>(state.range(0));
  const auto pods = static_cast<std::size_t>(state.range(1));
  World world(nodes, pods);
  policy::Pod pod = bench::pod_of(nodes - 1, pods - 1);
  const auto as_it_was = cluster::PackedPod::packed(pod);
  pod.labels["turn"] = "1";
  ++pod.generation;
  const auto changed = cluster::PackedPod::packed(pod);
  bool turn = false;
  for (auto _ : state) world.show((turn = !turn) ? changed : as_it_was);
}

// The status changes of a budget that covers no possible victim.
void budget_changes(benchmark::State& state) {
  World world(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  world.wait_on(static_cast<std::size_t>(state.range(2)));
  policy::PodDisruptionBudget budget;
  budget.ns = "team-1";
  budget.name = "shop";
  budget.selector = policy::LabelSelector{.match_labels = {{"app", "another"}}};
  for (auto _ : state) {
    budget.disruptions_allowed ^= 1;
    world.show(budget);
  }
}

// A pod of the namespace with the most budgets changes.
void take_in_under_budgets(benchmark::State& state) {
  World world(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  world.have_budgets(static_cast<std::size_t>(state.range(2)));
  policy::Pod pod = bench::pod_of(1, 1);
  const auto as_it_was = cluster::PackedPod::packed(pod);
  for (policy::Condition& each : pod.conditions) {
    if (each.type == policy::kReady) each.status = "False";
  }
  const auto changed = cluster::PackedPod::packed(pod);
  bool turn = false;
  for (auto _ : state) world.show((turn = !turn) ? changed : as_it_was);
}

// The keeper renews the status of a budget.
void own_budget_changes(benchmark::State& state) {
  World world(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  world.have_budgets(static_cast<std::size_t>(state.range(2)));
  policy::DisruptionBudget budget = World::own_budget(7);
  std::int64_t turn = 0;
  for (auto _ : state) {
    budget.status.observed_time = policy::Time{std::chrono::seconds(1'780'000'000 + ++turn)};
    world.show(budget);
  }
}

}  // namespace

BENCHMARK(judge)
    ->Name("scheduler/judge_deferred")
    ->Args({5000, 10})
    ->Args({1, 10})
    ->Args({400, 110})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(take_in)
    ->Name("scheduler/apply_event")
    ->Args({5000, 10})
    ->Args({2, 10})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(budget_changes)
    ->Name("scheduler/budget_changes")
    ->Args({5000, 10, 1000})
    ->Args({5000, 10, 1})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(take_in_under_budgets)
    ->Name("scheduler/apply_event_under_budgets")
    ->Args({5000, 10, 10000})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(own_budget_changes)
    ->Name("scheduler/budget_status_changes")
    ->Args({5000, 10, 10000})
    ->Unit(benchmark::kMicrosecond);
