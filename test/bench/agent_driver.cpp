// Measures one elbowroomd on a node of the lab, from outside, and prints JSON lines for
// test/bench/run: memory and cpu while idle, the time from start to ready, and the time from a
// resize in the API to the call that reaches the container runtime, beside the cost of a durable
// checkpoint on this disk.
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/checkpoint/checkpoint_store.h"
#include "base/disk.h"
#include "lab/cluster.h"
#include "lab/daemon_process.h"
#include "lab/world/json.h"
#include "lab/world/kind.h"
#include "test/bench/figure.h"
#include "test/bench/process.h"

namespace {

namespace fs = std::filesystem;
using namespace elbowroom;
using bench::cpu_seconds;
using bench::free_port;
using bench::give_up;
using bench::is_ready;
using bench::mebibytes;
using bench::milliseconds;
using bench::percentile;
using bench::report;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using lab::Json;

constexpr int kPods = 110;
constexpr int kResizes = 200;
constexpr int kSaves = 200;
constexpr std::size_t kBurst = 5000;  // events
constexpr auto kIdleWindow = 20s;
constexpr auto kPatience = 120'000ms;

void wait_for(Clock::duration time) { (void)::poll(nullptr, 0, static_cast<int>(time / 1ms)); }

class Bench {
 public:
  Bench(fs::path folder, fs::path disk, std::string program)
      : folder_(std::move(folder)), disk_(std::move(disk)), program_(std::move(program)) {
    auto cluster = lab::Cluster::start({.nodes = 1,
                                        .cpu = {64'000},
                                        .memory = {std::int64_t{64} << 30},
                                        .agents = false,
                                        .history = 4 * kBurst,
                                        .folder = folder_,
                                        .complain = [](const std::string&) {}});
    if (!cluster) give_up(cluster.error().message);
    cluster_ = *std::move(cluster);
    if (!lab::comes_true([&] { return cluster_->is_ready(); }, kPatience)) give_up("no node");
    std::ofstream(folder_ / "kubeconfig") << cluster_->api().kubeconfig();
  }

  void run() {
    start(disk_);
    idle("idle");
    for (int i = 0; i < kPods; ++i) create(i);
    if (!lab::comes_true([&] { return all_allocated(); }, kPatience)) give_up("pods do not run");
    agent_.reset();
    report("agent/start_to_ready/" + std::to_string(kPods), start(disk_), "ms");
    idle(std::to_string(kPods));
    resizes("agent/watch_to_runtime_with_fsync", 150);
    burst();
    saves();
    // Runs beside the fsync: a disk's own worst moments are longer than everything else together.
    agent_.reset();
    start(folder_);
    resizes("agent/watch_to_runtime", 360);
  }

 private:
  // Milliseconds from the start of the process to its first 200 on /readyz. Its state is in a
  // folder within `where`.
  double start(const fs::path& where) {
    const int port = free_port();
    const auto begun = Clock::now();
    auto started = lab::DaemonProcess::start(
        program_,
        {"--mode=authority", "--kubelet-healthz=", "--node-name=node-1",
         "--critical-preemption=true", "--kubeconfig=" + (folder_ / "kubeconfig").string(),
         "--runtime-endpoint=" + cluster_->runtime(0).endpoint(),
         "--cgroup-root=" + cluster_->cgroup_root(0).string(), "--cgroup-driver=cgroupfs",
         "--state-dir=" + (where / "state").string(), "--listen=127.0.0.1:" + std::to_string(port)},
        (folder_ / "agent.log").string());
    if (!started) give_up(started.error().message);
    agent_.emplace(*std::move(started));
    if (!lab::comes_true([&] { return is_ready(port); }, kPatience)) give_up("never ready");
    return milliseconds(Clock::now() - begun);
  }

  void idle(const std::string& size) {
    wait_for(3s);  // work left over from the start
    const double before = cpu_seconds(agent_->pid());
    const auto begun = Clock::now();
    wait_for(kIdleWindow);
    const double used = cpu_seconds(agent_->pid()) - before;
    const double percent = 100 * used / (milliseconds(Clock::now() - begun) / 1000);
    report("agent/cpu/" + size, percent, "% of a core");
    report("agent/rss_anon/" + size, mebibytes(agent_->pid(), "RssAnon"), "MiB");
    report("agent/rss/" + size, mebibytes(agent_->pid(), "VmRSS"), "MiB");
  }

  static std::string name_of(int index) { return "pod-" + std::to_string(index); }

  void create(int index) {
    const Json pod = {
        {"apiVersion", "v1"},
        {"kind", "Pod"},
        {"metadata", {{"name", name_of(index)}, {"namespace", "default"}}},
        {"spec",
         {{"nodeName", "node-1"},
          {"containers",
           Json::array(
               {{{"name", "app"},
                 {"image", "registry.example/app:1"},
                 {"resources", {{"requests", {{"cpu", "100m"}, {"memory", "64Mi"}}}}}}})}}}};
    (void)cluster_->api().with_world([&](lab::World& world) { return world.load(pod); });
  }

  bool all_allocated() {
    const auto list = cluster_->api().with_world(
        [](lab::World& world) { return world.list({.kind = lab::find_kind("", "v1", "pods")}); });
    if (!list) return false;
    int ready = 0;
    for (const Json& pod : lab::list_at(*list, {"items"})) {
      const Json& statuses = lab::list_at(pod, {"status", "containerStatuses"});
      if (!statuses.empty() && lab::present_at(statuses[0], {"allocatedResources", "cpu"})) ++ready;
    }
    return ready == kPods;
  }

  std::size_t updates() {
    return cluster_->runtime(0).with_runtime([](lab::FakeCriRuntime& runtime) {
      return static_cast<std::size_t>(std::ranges::count_if(runtime.calls(), [](const auto& call) {
        return call.method == "UpdateContainerResources";
      }));
    });
  }

  // Gives one pod after the other a size that no pod has: `least` millicores and one more each
  // time.
  void resizes(const std::string& name, int least) {
    std::vector<double> took;
    for (int i = 0; i < kResizes; ++i) {
      const std::string cpu = std::to_string(least + i) + "m";
      const Json patch = {
          {"spec",
           {{"containers",
             Json::array({{{"name", "app"}, {"resources", {{"requests", {{"cpu", cpu}}}}}}})}}}};
      const std::size_t before = updates();
      const auto begun = Clock::now();
      (void)cluster_->api().with_world([&](lab::World& world) {
        return world.patch({lab::find_kind("", "v1", "pods"), "default", name_of(i % kPods),
                            lab::Subresource::Resize},
                           lab::PatchType::StrategicMerge, patch);
      });
      const timespec look{0, 100'000};
      while (updates() == before) {
        if (Clock::now() - begun > 20s) give_up("a resize was not carried out");
        (void)::ppoll(nullptr, 0, &look, nullptr);
      }
      took.push_back(milliseconds(Clock::now() - begun));
      wait_for(50ms);  // one at a time: no call waits for the status writes of another
    }
    report(name + "/p50", percentile(took, 0.5), "ms");
    report(name + "/p99", percentile(took, 0.99), "ms");
  }

  // While the agent is stopped, 5,000 changes of pods and then a resize queue up for it: the lab's
  // own work for them is not measured. The resize is actuated when all changes are absorbed.
  void burst() {
    const std::size_t before = updates();
    const pid_t pid = agent_->pid();
    (void)::kill(pid, SIGSTOP);
    (void)cluster_->api().with_world([&](lab::World& world) {
      for (std::size_t i = 0; i < kBurst; ++i) {
        (void)world.patch(
            {lab::find_kind("", "v1", "pods"), "default", name_of(static_cast<int>(i % kPods))},
            lab::PatchType::Merge, {{"metadata", {{"labels", {{"turn", std::to_string(i)}}}}}});
      }
      const Json resources = {{"requests", {{"cpu", "700m"}}}};
      return world.patch(
          {lab::find_kind("", "v1", "pods"), "default", name_of(0), lab::Subresource::Resize},
          lab::PatchType::StrategicMerge,
          {{"spec", {{"containers", Json::array({{{"name", "app"}, {"resources", resources}}})}}}});
    });
    wait_until_lab_rests();
    const double used = cpu_seconds(pid);
    const auto begun = Clock::now();
    (void)::kill(pid, SIGCONT);
    if (!lab::comes_true([&] { return updates() != before; }, kPatience)) give_up("burst: lost");
    report("agent/burst_of_5000_events/absorbed", milliseconds(Clock::now() - begun), "ms");
    report("agent/burst_of_5000_events/cpu", 1000 * (cpu_seconds(pid) - used), "ms");
    report("agent/burst_of_5000_events/peak_rss", mebibytes(pid, "VmHWM"), "MiB");
  }

  static void wait_until_lab_rests() {
    const auto patience = Clock::now() + kPatience;
    for (double before = -1, now = 0; now - before > 0.02;) {
      if (Clock::now() > patience) give_up("the lab does not come to rest");
      before = now;
      wait_for(200ms);
      now = cpu_seconds(::getpid());
    }
  }

  void saves() {
    fs::create_directories(disk_ / "probe");
    const RealDisk disk;
    const agent::CheckpointStore own((disk_ / "state").string(), disk);
    const agent::Checkpoint checkpoint = own.load().checkpoint;
    const agent::CheckpointStore probe((disk_ / "probe").string(), disk);
    std::vector<double> took;
    for (int i = 0; i < kSaves; ++i) {
      const auto begun = Clock::now();
      if (!probe.save(checkpoint)) give_up("the checkpoint could not be saved");
      took.push_back(milliseconds(Clock::now() - begun));
    }
    report("agent/checkpoint_save/p50", percentile(took, 0.5), "ms");
    report("agent/checkpoint_save/p99", percentile(took, 0.99), "ms");
  }

  const fs::path folder_;  // in memory where possible, as cgroups are
  const fs::path disk_;    // where the checkpoint is made durable
  const std::string program_;
  std::unique_ptr<lab::Cluster> cluster_;
  std::optional<lab::DaemonProcess> agent_;
};

fs::path temporary_directory(const fs::path& in) {
  std::string name = (in / "elbowroom-bench-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) give_up("no folder could be made in " + in.string());
  return name;
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): an exception here is a defect, and shall leave a core
int main(int argc, char** argv) {
  if (argc != 2) give_up("usage: agent_driver ELBOWROOMD");
  const fs::path memory = "/dev/shm";
  const fs::path folder =
      temporary_directory(fs::is_directory(memory) ? memory : fs::temp_directory_path());
  const fs::path disk = temporary_directory(fs::temp_directory_path());
  Bench(folder, disk, argv[1]).run();
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  fs::remove_all(disk, ignored);
}
