// The cost of deciding about pod groups. A gang of 256 in a cluster of 5,000 nodes and 50,000 pods:
// where there is room, where pods of lower priority have to go, and where those are 10,000 groups
// of four that go whole, and the others. And pods by themselves, each of which takes a node of ten
// victims: 1,000 nodes, 100 such pods, victims without a group, in groups that go one by one, and
// in groups of ten that go whole (the shape of scheduler_perf's PreemptionPodGroupDisruptionMode).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "policy/placement/gang_schedule.h"
#include "policy/placement/schedule.h"
#include "test/bench/large_cluster.h"

namespace {

using namespace elbowroom;
using policy::DisruptionMode;
using policy::SchedulingResult;

constexpr std::size_t kMembers = 256;
constexpr std::size_t kDecisions = 100;

void join(policy::Pod& pod, std::size_t number, DisruptionMode mode, std::int32_t priority) {
  pod.ns = "default";
  pod.scheduling_group = "group-" + std::to_string(number);
  pod.group = {.uid = "0a1b2c3d-0003-4000-8000-" + bench::twelve_digits(number),
               .priority = priority,
               .mode = mode};
}

policy::Pod pending(const std::string& name, std::int64_t cpu_m) {
  policy::Pod pod = bench::pod_of(0, 0);
  pod.ns = "default";
  pod.name = pod.uid = name;
  pod.node.clear();
  pod.phase = policy::Phase::Pending;
  pod.priority = 1'000;
  pod.containers.pop_back();
  pod.containers[0].desired.requests.cpu.value = cpu_m;
  pod.containers[0].allocated_requests.reset();
  pod.containers[0].actual_requests.reset();
  pod.containers[0].actual_limits.reset();
  return pod;
}

// Four pods of consecutive nodes are one group, as long as there are groups left.
policy::ClusterRoom large(std::int64_t cpu_of_node, std::size_t groups) {
  policy::ClusterRoom room;
  for (std::size_t on = 0; on < bench::kNodes; ++on) {
    policy::Node node = bench::node_of(on);
    node.allocatable.cpu.value = cpu_of_node;
    room.put(node);
    for (std::size_t number = 0; number < bench::kPodsPerNode; ++number) {
      policy::Pod pod = bench::pod_of(on, number);
      const std::size_t group = number * (bench::kNodes / 4) + on / 4;
      if (group < groups) join(pod, group, DisruptionMode::All, *pod.priority);
      room.add(pod);
    }
  }
  return room;
}

policy::Gang gang_of(std::int64_t cpu_m) {
  policy::Gang gang{.key = "default/train"};
  gang.standing = {.uid = "train", .priority = 1'000, .min_count = kMembers};
  for (std::size_t member = 0; member < kMembers; ++member) {
    policy::Pod pod = pending("train-" + std::to_string(member), cpu_m);
    pod.scheduling_group = "train";
    pod.group = gang.standing;
    gang.pending.push_back(std::move(pod));
  }
  return gang;
}

void decide(benchmark::State& state, policy::ClusterRoom room, std::int64_t cpu_m,
            SchedulingResult wanted) {
  const policy::Gang gang = gang_of(cpu_m);
  for (auto _ : state) {
    const auto decision = policy::schedule_gang(room, gang, {});
    if (decision.result != wanted || decision.placements.size() < kMembers) {
      state.SkipWithError(("another decision: " + decision.message).c_str());
      return;
    }
  }
}

void place(benchmark::State& state) {
  decide(state, large(18'000, 0), 2'000, SchedulingResult::Bind);
}
void preempt(benchmark::State& state) {
  decide(state, large(15'000, 0), 3'000, SchedulingResult::Preempt);
}
void preempt_groups(benchmark::State& state) {
  decide(state, large(15'000, 10'000), 3'000, SchedulingResult::Preempt);
}

// ---- pods by themselves ----

policy::ClusterRoom small(std::optional<DisruptionMode> mode) {
  policy::ClusterRoom room;
  for (std::size_t on = 0; on < 1'000; ++on) {
    policy::Node node = bench::node_of(on);
    node.allocatable.cpu.value = 4'000;
    room.put(node);
    for (std::size_t number = 0; number < 10; ++number) {
      policy::Pod pod = bench::pod_of(on, number);
      pod.priority = 0;
      pod.containers.pop_back();
      pod.containers[0].desired.requests.cpu.value = 300;
      pod.containers[0].allocated_requests = pod.containers[0].actual_requests =
          pod.containers[0].desired.requests;
      if (mode) join(pod, on, *mode, 0);
      room.add(pod);
    }
  }
  return room;
}

// Each decision is carried out at once, so the next one finds another node.
void preempt_pods(benchmark::State& state, std::optional<DisruptionMode> mode, std::size_t which) {
  for (auto _ : state) {
    policy::ClusterRoom room = small(mode);
    std::vector<double> took;
    for (std::size_t number = 0; number < kDecisions; ++number) {
      policy::Pod pod = pending("high-" + std::to_string(number), 3'970);
      const auto begun = std::chrono::steady_clock::now();
      const auto decision = policy::schedule(room, pod, {});
      const std::chrono::duration<double> each = std::chrono::steady_clock::now() - begun;
      took.push_back(each.count());
      if (decision.result != SchedulingResult::Preempt) {
        state.SkipWithError(("another decision: " + decision.message).c_str());
        return;
      }
      pod.nominated_node = decision.node;
      room.add(pod);
    }
    std::ranges::sort(took);
    state.SetIterationTime(took[kDecisions * which / 100]);
  }
}

void named(const char* name, std::optional<DisruptionMode> mode) {
  for (const std::size_t which : {std::size_t{50}, std::size_t{99}}) {
    const std::string full =
        std::string("scheduler/preempt_p") + std::to_string(which) + "/" + name + "/1000";
    benchmark::RegisterBenchmark(
        full.c_str(), [mode, which](benchmark::State& state) { preempt_pods(state, mode, which); })
        ->Iterations(1)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
}

[[maybe_unused]] const bool kNamed = [] {
  named("no_group", std::nullopt);
  named("single", DisruptionMode::Single);
  named("all", DisruptionMode::All);
  return true;
}();

}  // namespace

BENCHMARK(place)->Name("scheduler/place_gang/256/50000")->Unit(benchmark::kMillisecond);
BENCHMARK(preempt)->Name("scheduler/preempt_for_gang/256/50000")->Unit(benchmark::kMillisecond);
BENCHMARK(preempt_groups)
    ->Name("scheduler/preempt_groups_for_gang/256/50000")
    ->Unit(benchmark::kMillisecond);
