// How long the node takes to decide one resize among 110 pods: the sum of the other pods' charges,
// the verdict, and for a Deferred one the text.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "policy/resize/resize.h"

namespace {

using namespace elbowroom::policy;

std::vector<Pod> node_full_of_pods(int count) {
  std::vector<Pod> pods;
  for (int i = 0; i < count; ++i) {
    Pod pod;
    pod.ns = "default";
    pod.name = "pod-" + std::to_string(i);
    pod.uid = "0a1b2c3d-0000-4000-8000-" + std::to_string(100000000000 + i);
    pod.node = "node-1";
    pod.phase = Phase::Running;
    for (const char* name : {"app", "proxy"}) {
      Container container;
      container.name = name;
      container.kind = name[0] == 'p' ? ContainerKind::Sidecar : ContainerKind::Regular;
      container.desired.requests.cpu.value = 100 + i;
      container.desired.requests.memory.value = std::int64_t{64} << 20;
      container.allocated_requests = container.actual_requests = container.desired.requests;
      container.state = RunState::Running;
      pod.containers.push_back(container);
    }
    pods.push_back(std::move(pod));
  }
  return pods;
}

void decide(benchmark::State& state) {
  std::vector<Pod> pods = node_full_of_pods(static_cast<int>(state.range(0)));
  pods[0].containers[0].desired.requests.cpu.value = 9000;
  Node node;
  node.name = "node-1";
  node.allocatable.cpu.value = 10'000;
  node.allocatable.memory.value = std::int64_t{64} << 30;
  for (auto _ : state) {
    const Resources others = held_by_others(pods, pods[0].uid);
    benchmark::DoNotOptimize(decide_resize(node, pods[0], others, {}));
  }
}

}  // namespace

BENCHMARK(decide)->Name("agent/decide_resize")->Arg(110)->Unit(benchmark::kMicrosecond);
