// How the agent behaves under faults, in virtual time, as JSON lines for test/bench/run: starts on
// mutated checkpoints, the reconnection of 500 agents after an outage, and the memory cost of a day
// of outage.
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "agent/checkpoint/checkpoint.h"
#include "base/durable_file.h"
#include "lab/virtual/simulation.h"
#include "lab/world/json.h"
#include "lab/world/kind.h"
#include "test/bench/figure.h"

namespace {

using namespace elbowroom;
using bench::give_up;
using bench::milliseconds;
using bench::report;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using lab::Json;

constexpr int kPods = 110;
constexpr int kPodsOfMutations = 20;
constexpr int kMutations = 10'000;
constexpr int kAgents = 500;

Json node_object(const std::string& name) {
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata", {{"name", name}}},
          {"status", {{"allocatable", {{"cpu", "64"}, {"memory", "64Gi"}, {"pods", "110"}}}}}};
}

Json pod_object(const std::string& node, int index) {
  return {
      {"apiVersion", "v1"},
      {"kind", "Pod"},
      {"metadata", {{"name", "pod-" + std::to_string(index)}, {"namespace", "default"}}},
      {"spec",
       {{"nodeName", node},
        {"containers",
         Json::array({{{"name", "app"},
                       {"image", "registry.example/app:1"},
                       {"resources", {{"requests", {{"cpu", "100m"}, {"memory", "64Mi"}}}}}}})}}}};
}

agent::ReactorOptions authority(const std::string& node, std::uint64_t seed) {
  return {.node_name = node,
          .authority = true,
          .critical_preemption = true,
          .manage_pod_cgroups = true,
          .jitter_seed = seed};
}

void load(lab::Simulation& simulation, const Json& object) {
  if (!simulation.world().load(object)) give_up("an object of the bench is refused");
}

// One node with running pods, and an agent that has allocated each its size.
void fill(lab::Simulation& simulation, int pods) {
  load(simulation, node_object("n"));
  for (int i = 0; i < pods; ++i) load(simulation, pod_object("n", i));
  simulation.add_node("n");
  simulation.start_agent("n", authority("n", 1));
  simulation.run_until(30s);
}

// One mutation that disks and users cause; most leave a text that must be refused.
std::string mutated(const std::string& text, std::mt19937_64& random) {
  std::string changed = text;
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  switch (below(5)) {
    case 0:  // a bit
      changed[below(changed.size())] ^= static_cast<char>(1U << below(8));
      return changed;
    case 1:  // a torn write
      return changed.substr(0, below(changed.size()));
    case 2:  // a sector of zeros
      return changed.replace(below(changed.size()), 512, 512, '\0');
    case 3: {  // a part twice
      const std::size_t at = below(changed.size());
      return changed.insert(at, changed.substr(at, 1 + below(600)));
    }
    default:  // a part missing
      return changed.erase(below(changed.size()), 1 + below(600));
  }
}

// After each start the agent allocates again what the status shows: both copies of the checkpoint
// are corrupt, each in its own way.
void mutated_checkpoints() {
  lab::Simulation simulation({});
  fill(simulation, kPodsOfMutations);
  const std::string path = lab::virtual_checkpoint_path();
  const std::string whole = simulation.disk("n").content(path);
  const auto promised = agent::decode_checkpoint(whole);
  if (!promised || promised->pods.size() != kPodsOfMutations)
    give_up("the pods were not promised their sizes");

  std::mt19937_64 random(1);
  double slowest = 0;
  int lost = 0;
  for (int i = 0; i < kMutations; ++i) {
    simulation.stop_agent("n", {});
    simulation.disk("n").write_whole(path, mutated(whole, random));
    simulation.disk("n").write_whole(previous_of(path), mutated(whole, random));
    const auto begun = Clock::now();
    simulation.start_agent("n", authority("n", 1));
    simulation.run_until(simulation.elapsed() + 2s);
    slowest = std::max(slowest, milliseconds(Clock::now() - begun));
    const auto now = agent::decode_checkpoint(simulation.disk("n").content(path));
    for (const auto& [uid, allocation] : promised->pods) {
      const auto kept = now ? now->pods.find(uid) : promised->pods.end();
      if (!now || kept == now->pods.end() || kept->second.containers != allocation.containers) {
        ++lost;
      }
    }
  }
  report("agent/start_on_mutated_checkpoint/slowest", slowest, "ms");
  report("agent/start_on_mutated_checkpoint/lost_allocations", lost, "allocations");
}

// From the first agent that reconnects to the last, and the most requests within one second.
void reconnect() {
  lab::Simulation simulation({});
  std::map<std::string, lab::Simulation::Span> back;
  for (int i = 0; i < kAgents; ++i) {
    const std::string node = "n" + std::to_string(i);
    load(simulation, node_object(node));
    simulation.add_node(node);
    simulation.start_agent(node, authority(node, static_cast<std::uint64_t>(i) + 1));
  }
  simulation.run_until(60s);
  constexpr auto kDown = std::chrono::minutes(10);
  const auto ends = simulation.elapsed() + kDown;
  for (int i = 0; i < kAgents; ++i) {
    const std::string node = "n" + std::to_string(i);
    simulation.arm(node, {.kind = lab::ApiFault::Kind::WatchClosed, .times = 2});
    simulation.arm(node, {.kind = lab::ApiFault::Kind::Refused,
                          .times = 1 << 30,
                          .lasts = std::chrono::duration_cast<std::chrono::milliseconds>(kDown)});
  }
  simulation.run_until(ends);
  std::map<std::int64_t, int> in_second;
  for (auto at = ends; back.size() < kAgents && at < ends + 5min; at += 100ms) {
    simulation.run_until(at);
    for (int i = 0; i < kAgents; ++i) {
      const std::string node = "n" + std::to_string(i);
      const agent::Reactor* reactor = simulation.reactor(node);
      if (back.contains(node) || reactor == nullptr) continue;
      if (!reactor->state().api_trouble.empty()) continue;
      back[node] = at;
      ++in_second[std::chrono::floor<std::chrono::seconds>(at).count()];
    }
  }
  if (back.size() < kAgents) give_up("not every agent came back");
  const auto by_value = [](const auto& one) { return one.second; };
  const auto [first, last] = std::ranges::minmax_element(back, {}, by_value);
  report("agent/reconnect_spread/500",
         std::chrono::duration<double>(last->second - first->second).count(), "s");
  report("agent/reconnect_busiest_second/500",
         std::ranges::max_element(in_second, {}, by_value)->second, "agents");
}

double heap_mebibytes() {
  malloc_trim(0);
  return static_cast<double>(mallinfo2().uordblks) / (1 << 20);
}

void outage() {
  lab::Simulation simulation({});
  fill(simulation, kPods);
  simulation.arm("n", {.kind = lab::ApiFault::Kind::WatchClosed, .times = 2});
  simulation.arm("n", {.kind = lab::ApiFault::Kind::Refused,
                       .times = 1 << 30,
                       .lasts = std::chrono::milliseconds(25h)});
  simulation.run_until(simulation.elapsed() + 10min);
  const double before = heap_mebibytes();
  simulation.run_until(simulation.elapsed() + 24h);
  report("agent/heap_growth/24h_outage", heap_mebibytes() - before, "MiB");
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): an exception here is a defect, and shall leave a core
int main() {
  reconnect();
  outage();
  mutated_checkpoints();
}
