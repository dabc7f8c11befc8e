// The cost of a look at a whole cluster, as `status` takes it: 5,000 nodes and 50,000 pods, a
// Deferred resize on every 50th node, and five budgets in each of 20 namespaces. Also of one node,
// as a live view takes it when the node changes.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "policy/model/condition.h"
#include "policy/overview/overview.h"
#include "test/bench/large_cluster.h"

namespace {

using namespace elbowroom;

constexpr policy::Time kNow{std::chrono::seconds(1'780'003'600)};
constexpr std::size_t kWaitsEvery = 50;

policy::Pod pod_of(std::size_t on, std::size_t number) {
  policy::Pod pod = bench::pod_of(on, number);
  if (on % kWaitsEvery != 0 || number + 1 != bench::kPodsPerNode) return pod;
  pod.containers[0].desired.requests.cpu.value = 3'000;
  pod.generation = 2;
  pod.conditions.push_back({.type = std::string(policy::kPodResizePending),
                            .status = "True",
                            .reason = std::string(policy::kReasonDeferred),
                            .message = "",
                            .observed_generation = 2,
                            .last_transition = kNow - std::chrono::seconds(30)});
  return pod;
}

policy::ClusterScene scene() {
  policy::ClusterScene all{.now = kNow};
  for (std::size_t on = 0; on < bench::kNodes; ++on) {
    all.nodes.push_back(bench::node_of(on));
    for (std::size_t number = 0; number < bench::kPodsPerNode; ++number) {
      all.pods.push_back(pod_of(on, number));
    }
  }
  for (std::size_t number = 0; number < 100; ++number) {
    policy::PodDisruptionBudget budget;
    budget.ns = "team-" + std::to_string(number % 20);
    budget.name = "budget-" + std::to_string(number);
    budget.selector = policy::LabelSelector{.match_labels = {{"app", "web"}}, .expressions = {}};
    budget.disruptions_allowed = 1;
    all.budgets.upstream.push_back(budget);
  }
  return all;
}

void whole_cluster(benchmark::State& state) {
  const policy::ClusterScene world = scene();
  for (auto _ : state) {
    state.PauseTiming();
    policy::ClusterScene copy = world;
    state.ResumeTiming();
    benchmark::DoNotOptimize(policy::overview_of_cluster(std::move(copy)));
  }
}

void one_node(benchmark::State& state) {
  const policy::ClusterScene world = scene();
  const std::vector<policy::Pod> pods(world.pods.begin(), world.pods.begin() + bench::kPodsPerNode);
  const policy::OverduePods lapsed;
  for (auto _ : state) {
    benchmark::DoNotOptimize(policy::overview_of_node({.node = world.nodes.front(),
                                                       .pods = pods,
                                                       .budgets = world.budgets,
                                                       .lapsed = lapsed,
                                                       .now = kNow}));
  }
}

BENCHMARK(whole_cluster)->Name("overview/cluster/50000")->Unit(benchmark::kMillisecond);
BENCHMARK(one_node)->Name("overview/node/waiting")->Unit(benchmark::kMicrosecond);

}  // namespace
