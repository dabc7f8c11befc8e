// The cost of deciding where a pending pod goes in a cluster of 5,000 nodes and 50,000 pods, in
// which every tenth node has a taint and every third pod has an anti-affinity to its own kind. The
// pods: one with requests, a toleration and a selector; one with a topology spread; one with terms
// about other pods; and one that needs a preemption on any node. For the last one, also the 99th
// percentile.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "policy/placement/schedule.h"
#include "test/bench/large_cluster.h"

namespace {

using namespace elbowroom;

constexpr std::size_t kDecisions = 1'000;
constexpr const char* kZone = "topology.kubernetes.io/zone";
constexpr const char* kHostname = "kubernetes.io/hostname";

policy::LabelSelector web() { return {.match_labels = {{"app", "web"}}}; }

policy::PodTerm beside_web(const std::string& ns, const char* topology) {
  return {.selector = web(), .namespaces = {ns}, .topology_key = topology};
}

policy::ClusterRoom room_with(std::int64_t cpu_of_node) {
  policy::ClusterRoom room;
  for (std::size_t on = 0; on < bench::kNodes; ++on) {
    policy::Node node = bench::node_of(on);
    node.allocatable.cpu.value = cpu_of_node;
    if (on % 10 == 0) node.taints = {{.key = "dedicated", .value = "shop"}};
    room.put(node);
    for (std::size_t number = 0; number < bench::kPodsPerNode; ++number) {
      policy::Pod pod = bench::pod_of(on, number);
      pod.labels["pod-template-hash"] = std::to_string(number);
      if (number % 3 == 0) {
        policy::PodTerm term = beside_web("team-none", kHostname);
        pod.placement.required_anti_affinity = {term};
      }
      room.add(pod);
    }
  }
  return room;
}

// One room in which pods fit somewhere, and one that is full.
policy::ClusterRoom& roomy() {
  static policy::ClusterRoom room = room_with(18'000);
  return room;
}
policy::ClusterRoom& full() {
  static policy::ClusterRoom room = room_with(15'000);
  return room;
}

policy::Pod pending(std::size_t number) {
  policy::Pod pod = bench::pod_of(number % bench::kNodes, 0);
  pod.name = "pending-" + std::to_string(number);
  pod.uid = pod.name;
  pod.node.clear();
  pod.phase = policy::Phase::Pending;
  pod.priority = 1'000;
  for (policy::Container& each : pod.containers) {
    each.allocated_requests.reset();
    each.actual_requests.reset();
    each.actual_limits.reset();
    each.state = policy::RunState::Waiting;
  }
  return pod;
}

template <class Ask>
void decide(benchmark::State& state, policy::SchedulingResult wanted, policy::ClusterRoom& room,
            Ask ask) {
  std::size_t number = 0;
  for (auto _ : state) {
    state.PauseTiming();
    policy::Pod pod = pending(++number);
    ask(pod);
    state.ResumeTiming();
    const auto decision = policy::schedule(room, pod, {});
    if (decision.result != wanted) {
      state.SkipWithError(("another decision: " + decision.message).c_str());
      return;
    }
  }
}

void plain(benchmark::State& state) {
  decide(state, policy::SchedulingResult::Bind, roomy(), [](policy::Pod& pod) {
    pod.placement.tolerations = {{.key = "dedicated", .value = "shop"}};
    pod.placement.node_selector = {{kZone, "zone-1"}};
  });
}

void spread(benchmark::State& state) {
  decide(state, policy::SchedulingResult::Bind, roomy(), [](policy::Pod& pod) {
    pod.placement.spread = {{.max_skew = 50, .topology_key = kZone, .selector = web()},
                            {.max_skew = 20, .topology_key = kHostname, .selector = web()}};
  });
}

void terms(benchmark::State& state) {
  decide(state, policy::SchedulingResult::Bind, roomy(), [](policy::Pod& pod) {
    pod.placement.required_affinity = {beside_web(pod.ns, kZone)};
    pod.placement.required_anti_affinity = {beside_web("team-none", kHostname)};
    pod.placement.preferred_anti_affinity = {{.weight = 10, .term = beside_web(pod.ns, kHostname)}};
  });
}

void preempt(benchmark::State& state) {
  for (auto _ : state) {
    std::vector<double> took;
    for (std::size_t number = 0; number < kDecisions; ++number) {
      policy::Pod pod = pending(number);
      pod.containers.front().desired.requests.cpu.value =
          1'000 + static_cast<std::int64_t>(number) * 5;
      const auto begun = std::chrono::steady_clock::now();
      const auto decision = policy::schedule(full(), pod, {});
      const std::chrono::duration<double> each = std::chrono::steady_clock::now() - begun;
      took.push_back(each.count());
      if (decision.result != policy::SchedulingResult::Preempt) {
        state.SkipWithError(("another decision: " + decision.message).c_str());
        return;
      }
    }
    std::ranges::sort(took);
    state.SetIterationTime(took[kDecisions * 99 / 100]);
  }
}

}  // namespace

BENCHMARK(plain)->Name("scheduler/decide_pending/50000")->Unit(benchmark::kMicrosecond);
BENCHMARK(spread)->Name("scheduler/decide_spread/50000")->Unit(benchmark::kMillisecond);
BENCHMARK(terms)->Name("scheduler/decide_near_and_apart/50000")->Unit(benchmark::kMillisecond);
BENCHMARK(preempt)
    ->Name("scheduler/preempt_pending_p99/50000")
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
