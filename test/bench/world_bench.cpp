// The cost of deciding where a pending pod goes, in worlds that people have (worlds.h), of 1,000,
// 5,000 and 15,000 nodes with ten pods each: a pod with requests and a selector, one with a
// topology spread, one with terms about other pods, one with a device, one with a claim that is
// bound to a volume of a zone, one with a claim that waits for it (a local volume on each node is
// free), and the 99th percentile of one that needs a preemption on any node.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "policy/placement/schedule.h"
#include "test/bench/worlds.h"

namespace {

using namespace elbowroom;
using bench::World;
using policy::SchedulingResult;

constexpr std::size_t kPreemptions = 300;

constexpr const char* kLocal = "local";  // a class that waits for its first consumer

// Usable on the nodes that have the label.
policy::PersistentVolume volume_for(const std::string& name, const char* label,
                                    const std::string& value) {
  policy::PersistentVolume made{.name = name,
                                .uid = name,
                                .storage_class = kLocal,
                                .access_modes = policy::kReadWriteOnce,
                                .is_available = true,
                                .capacity = std::int64_t{10} << 30};
  made.nodes = std::vector<policy::NodeTerm>{
      {.labels = {{.key = label, .op = policy::NodeOperator::In, .values = {value}}}}};
  return made;
}

policy::ClusterRoom room_in(const World& world, std::size_t nodes, bool full) {
  policy::ClusterRoom room;
  for (const auto& each : bench::budgets_in(world)) room.put(each);
  if (world.volumes) {
    room.volumes().put(policy::StorageClass{.name = kLocal,
                                            .provisioner = std::string(policy::kNoProvisioner),
                                            .waits_for_consumer = true});
  }
  for (std::size_t on = 0; on < nodes; ++on) {
    const policy::Node node = bench::node_in(world, on, full);
    if (world.volumes) {
      room.volumes().put(volume_for("local-" + std::to_string(on), bench::kHostname,
                                    node.labels.at(bench::kHostname)));
    }
    room.put(node);
    for (std::size_t number = 0; number < bench::pods_on(world, on); ++number) {
      room.add(bench::pod_in(world, on, number));
    }
    if (bench::has_nominated(world, on)) room.add(bench::nominated_in(world, on));
  }
  return room;
}

// One world at a time, so that the largest ones fit into memory.
policy::ClusterRoom& kept_room(const World& world, std::size_t nodes, bool full) {
  static std::string kept;
  static policy::ClusterRoom room;
  const std::string wanted =
      std::string(world.name) + "/" + std::to_string(nodes) + (full ? "/full" : "");
  if (std::exchange(kept, wanted) != wanted) room = room_in(world, nodes, full);
  return room;
}

using Ask = void (*)(policy::ClusterRoom& room, policy::Pod& pod);

void ask_for_zone(policy::ClusterRoom& /*room*/, policy::Pod& pod) {
  pod.placement.node_selector = {{bench::kZone, "zone-1"}};
}

void ask_for_spread(policy::ClusterRoom& /*room*/, policy::Pod& pod) {
  pod.placement.spread = {bench::spread_over(pod, bench::kZone, 5, true),
                          bench::spread_over(pod, bench::kHostname, 3, false)};
}

void ask_for_neighbours(policy::ClusterRoom& /*room*/, policy::Pod& pod) {
  pod.placement.required_anti_affinity = {bench::beside(pod, bench::kHostname)};
  if (pod.labels.at("app") == "web") {
    pod.placement.required_anti_affinity.front().namespaces = {"team-none"};
  }
  pod.placement.preferred_affinity = {{.weight = 10, .term = bench::beside(pod, bench::kZone)}};
}

void ask_for_device(policy::ClusterRoom& /*room*/, policy::Pod& pod) {
  pod.containers.front().desired.requests.others[bench::kDevice] = 1;
}

policy::VolumeClaim claim_of(policy::Pod& pod) {
  pod.placement.claims = {{.name = pod.name}};
  return {.ns = pod.ns,
          .name = pod.name,
          .uid = pod.uid,
          .storage_class = kLocal,
          .access_modes = policy::kReadWriteOnce,
          .request = std::int64_t{1} << 30};
}

void ask_for_bound(policy::ClusterRoom& room, policy::Pod& pod) {
  policy::VolumeClaim claim = claim_of(pod);
  claim.volume = "of-" + pod.name;
  claim.is_completed = true;
  policy::PersistentVolume volume = volume_for(claim.volume, bench::kZone, "zone-1");
  volume.is_available = false;
  volume.claim = policy::ClaimRef{.ns = claim.ns, .name = claim.name, .uid = claim.uid};
  room.volumes().put(volume);
  room.volumes().put(claim);
}

void ask_for_local(policy::ClusterRoom& room, policy::Pod& pod) {
  room.volumes().put(claim_of(pod));
}

policy::ScheduleTerms terms() {
  return {.now = bench::kWorldTime, .waits_until = bench::kWorldTime + policy::kLongestAwaited};
}

void decide(benchmark::State& state, const World& world, Ask ask) {
  policy::ClusterRoom& room = kept_room(world, static_cast<std::size_t>(state.range(0)), false);
  const auto asked = terms();
  std::size_t number = 0;
  for (auto _ : state) {
    state.PauseTiming();
    policy::Pod pod = bench::pending_in(world, ++number);
    ask(room, pod);
    state.ResumeTiming();
    const auto decision = policy::schedule(room, pod, asked);
    if (decision.result != SchedulingResult::Bind) {
      state.SkipWithError(("another decision: " + decision.message).c_str());
      return;
    }
  }
}

void preempt(benchmark::State& state, const World& world) {
  policy::ClusterRoom& room = kept_room(world, static_cast<std::size_t>(state.range(0)), true);
  const auto asked = terms();
  for (auto _ : state) {
    std::vector<double> took;
    for (std::size_t number = 0; number < kPreemptions; ++number) {
      policy::Pod pod = bench::pending_in(world, number);
      pod.containers.front().desired.requests.cpu.value =
          2'100 + static_cast<std::int64_t>(number) * 5;
      const auto begun = std::chrono::steady_clock::now();
      const auto decision = policy::schedule(room, pod, asked);
      const std::chrono::duration<double> each = std::chrono::steady_clock::now() - begun;
      took.push_back(each.count());
      if (decision.result != SchedulingResult::Preempt) {
        state.SkipWithError(("another decision: " + decision.message).c_str());
        return;
      }
    }
    std::ranges::sort(took);
    state.SetIterationTime(took[kPreemptions * 99 / 100]);
  }
}

std::string figure(std::string_view name, const World& world) {
  return "scheduler/" + std::string(name) + "/" + std::string(world.name);
}

// Worlds with all sizes: where everything is counted. The others tell what costs what.
int register_all() {
  for (const World& world : bench::kWorlds) {
    const bool is_given = world.name == "plain" || world.name == "mixed";
    for (const int nodes : {1'000, 5'000, 15'000}) {
      if (!is_given && nodes != 5'000) continue;
      const auto add = [&](std::string_view name, Ask ask, benchmark::TimeUnit unit) {
        benchmark::RegisterBenchmark(figure(name, world).c_str(), decide, world, ask)
            ->Arg(nodes)
            ->Unit(unit);
      };
      add("place", ask_for_zone, benchmark::kMicrosecond);
      add("place_spread", ask_for_spread, benchmark::kMillisecond);
      add("place_apart", ask_for_neighbours, benchmark::kMillisecond);
      if (world.devices) add("place_device", ask_for_device, benchmark::kMicrosecond);
      if (world.volumes) {
        add("place_bound_claim", ask_for_bound, benchmark::kMicrosecond);
        add("place_local_claim", ask_for_local, benchmark::kMicrosecond);
      }
      benchmark::RegisterBenchmark(figure("preempt_anywhere_p99", world).c_str(), preempt, world)
          ->Arg(nodes)
          ->Iterations(1)
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
  return 0;
}

[[maybe_unused]] const int kRegistered = register_all();

}  // namespace
