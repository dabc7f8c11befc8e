// The cost of a recording to the reactor's thread: 110 pods of two containers, one of which is
// resized, with a runtime poll after each step; without a recorder and with one on a real file.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/reactor.h"
#include "agent/recording/recording.h"
#include "cri/convert.h"

namespace {

using namespace elbowroom;

policy::Pod pod_of(int index) {
  policy::Pod pod;
  pod.ns = "default";
  pod.name = "pod-" + std::to_string(index);
  pod.uid = "0a1b2c3d-0000-4000-8000-" + std::to_string(100000000000 + index);
  pod.generation = 1;
  pod.node = "node-1";
  pod.phase = policy::Phase::Running;
  pod.labels = {{"app.kubernetes.io/name", "web"}, {"pod-template-hash", "5d8f6c7b9"}};
  for (const char* name : {"app", "proxy"}) {
    policy::Container container;
    container.name = name;
    container.desired.requests.cpu.value = 50;
    container.desired.requests.memory.value = std::int64_t{64} << 20;
    container.allocated_requests = container.actual_requests = container.desired.requests;
    container.actual_limits = policy::Resources{};
    container.state = policy::RunState::Running;
    pod.containers.push_back(container);
  }
  return pod;
}

class World {
 public:
  World() : reactor_(options(), {}, false) {
    policy::Node node;
    node.name = "node-1";
    node.allocatable.cpu.value = 64'000;
    node.allocatable.memory.value = std::int64_t{256} << 30;
    feed(agent::NodeSeen{node});
    agent::PodsListed listed;
    for (int i = 0; i < 110; ++i) {
      listed.pods.push_back(pod_of(i));
      for (const policy::Container& each : listed.pods.back().containers) {
        runtime_.pods[listed.pods.back().uid].containers[each.name] = {
            .id = listed.pods.back().uid + each.name,
            .state = policy::RunState::Running,
            .size = cri::resources_for(each.desired)};
      }
    }
    pod_ = listed.pods.front();
    feed(runtime_);
    feed(std::move(listed));
  }

  static agent::ReactorOptions options() {
    return {.node_name = "node-1", .authority = true, .manage_pod_cgroups = false};
  }

  void record_to(const std::string& path) {
    recorder_.emplace(path, recording::kUsualRecordLimit, options(), disk_);
  }

  // A resize, until no effect is left for it, and a runtime poll.
  void turn() {
    ++pod_.generation;
    pod_.containers[0].desired.requests.cpu.value = 50 + pod_.generation % 2;
    feed(agent::PodSeen{pod_});
    feed(runtime_);
  }

  [[nodiscard]] std::size_t observations() const { return observations_; }

 private:
  void feed(agent::Seen what) {
    std::vector<agent::Seen> waiting{std::move(what)};
    while (!waiting.empty()) {
      const agent::Observation seen{{std::chrono::milliseconds(++observations_), {}},
                                    std::move(waiting.back())};
      waiting.pop_back();
      if (recorder_) recorder_->seen(reactor_, seen);
      const agent::Effects effects = reactor_.handle(seen);
      if (recorder_) recorder_->did(effects);
      if (recorder_ && !recorder_->trouble().empty()) std::abort();
      for (const agent::Effect& each : effects) {
        if (std::holds_alternative<agent::EmitEvent>(each.what)) continue;
        waiting.emplace_back(agent::Done{.effect = each.id});
      }
    }
  }

  agent::Reactor reactor_;
  RealDisk disk_{};
  std::optional<agent::Recorder> recorder_{};
  agent::RuntimeSeen runtime_{};
  policy::Pod pod_{};
  std::size_t observations_ = 0;
};

void handle(benchmark::State& state) {
  World world;
  for (auto _ : state) world.turn();
  state.counters["observations"] =
      benchmark::Counter(static_cast<double>(world.observations()), benchmark::Counter::kIsRate);
}

void handle_recorded(benchmark::State& state) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("recording-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  {
    World world;
    world.record_to((folder / "recording").string());
    for (auto _ : state) world.turn();
    state.counters["observations"] =
        benchmark::Counter(static_cast<double>(world.observations()), benchmark::Counter::kIsRate);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace

BENCHMARK(handle)->Name("agent/resize_in_reactor/110")->Unit(benchmark::kMicrosecond);
BENCHMARK(handle_recorded)
    ->Name("agent/resize_in_reactor_recorded/110")
    ->Unit(benchmark::kMicrosecond);
