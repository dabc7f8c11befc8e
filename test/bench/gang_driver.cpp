// Measures what a gang costs against a lab, from outside, and prints JSON lines for test/bench/run:
// how long it takes until 256 pods of one gang that comes are bound, and until the 1,000 pods of
// one group that is removed whole are asked to go for another gang: marked, checked and deleted.
// Both end when the server's objects show it.
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "lab/apiserver/api_server.h"
#include "lab/daemon_process.h"
#include "lab/world/json.h"
#include "lab/world/kind.h"
#include "lab/world/world.h"
#include "test/bench/figure.h"
#include "test/bench/process.h"

namespace {

namespace fs = std::filesystem;
using namespace elbowroom;
using namespace std::chrono_literals;
using bench::give_up;
using bench::milliseconds;
using bench::report;
using lab::Json;
using Clock = std::chrono::steady_clock;

constexpr int kGang = 256;
constexpr int kNodes = 100;
constexpr int kVictimsPerNode = 10;
constexpr auto kPatience = 60s;

Json node_json(int number) {
  const Json amounts = {{"cpu", "10"}, {"memory", "64Gi"}, {"pods", "110"}};
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata", {{"name", "node-" + std::to_string(number)}}},
          {"status",
           {{"capacity", amounts},
            {"allocatable", amounts},
            {"conditions", Json::array({{{"type", "Ready"}, {"status", "True"}}})}}}};
}

Json group_json(const std::string& name, int min_count, int priority) {
  return {{"apiVersion", "scheduling.k8s.io/v1beta1"},
          {"kind", "PodGroup"},
          {"metadata", {{"name", name}, {"namespace", "default"}, {"uid", "group-" + name}}},
          {"spec",
           {{"priority", priority},
            {"disruptionMode", {{"all", Json::object()}}},
            {"schedulingPolicy", {{"gang", {{"minCount", min_count}}}}}}}};
}

Json pod_json(const std::string& group, int number, const std::string& cpu, int node = -1) {
  const std::string name = group + "-" + std::to_string(number);
  const Json amounts = {{"cpu", cpu}, {"memory", "64Mi"}};
  Json pod = {{"apiVersion", "v1"},
              {"kind", "Pod"},
              {"metadata", {{"name", name}, {"namespace", "default"}, {"uid", "uid-" + name}}},
              {"spec",
               {{"schedulerName", "elbowroom"},
                {"schedulingGroup", {{"podGroupName", group}}},
                {"terminationGracePeriodSeconds", 600},
                {"containers", Json::array({{{"name", "app"},
                                             {"image", "registry.example/app:1"},
                                             {"resources", {{"requests", amounts}}}}})}}}};
  if (node >= 0) {
    pod["spec"]["nodeName"] = "node-" + std::to_string(node);
    pod["status"] = {{"phase", "Running"}};
  }
  return pod;
}

class Bench {
 public:
  Bench(const fs::path& folder, const std::string& program, std::string group)
      : folder_(folder), program_(program), group_(std::move(group)) {
    for (int node = 0; node < kNodes; ++node) load(world_, node_json(node));
    if (auto started = api_.start(); !started) give_up(started.error().message);
    std::ofstream(folder_ / "kubeconfig") << api_.kubeconfig();
  }

  // How long it takes until that many pods of the group hold; they come once the scheduler is
  // ready.
  template <class Comes, class Holds>
  double took(Comes comes, std::size_t wanted, Holds holds) {
    start();
    api_.with_world([&](lab::World& world) { comes(world); });
    const auto begun = Clock::now();
    const bool came = lab::comes_true(
        [&] {
          return api_.with_world([&](lab::World& world) {
            const auto all = world.all_stored_objects(*lab::find_kind("", "v1", "pods"));
            return static_cast<std::size_t>(std::ranges::count_if(all, [&](const Json* pod) {
                     const std::string name = lab::text_at(*pod, {"metadata", "name"});
                     return name.starts_with(group_ + "-") && holds(*pod);
                   })) >= wanted;
          });
        },
        kPatience);
    if (!came) give_up("the scheduler did not do it; see what it says itself");
    return milliseconds(Clock::now() - begun);
  }

  static void load(lab::World& world, const Json& object) {
    if (const auto made = world.load(object); !made) give_up(made.error().message);
  }
  lab::World& world() { return world_; }

 private:
  void start() {
    const int port = bench::free_port();
    auto started = lab::DaemonProcess::start(
        program_,
        {"--kubeconfig=" + (folder_ / "kubeconfig").string(), "--leader-elect=false", "--mode=full",
         "--listen=127.0.0.1:" + std::to_string(port)},
        (folder_ / "scheduler.log").string());
    if (!started) give_up(started.error().message);
    scheduler_.emplace(*std::move(started));
    if (!lab::comes_true([&] { return bench::is_ready(port); }, kPatience)) give_up("never ready");
  }

  const fs::path folder_;
  const std::string program_;
  const std::string group_;
  lab::World world_{{}};
  lab::ApiServer api_{world_, {}};
  std::optional<lab::DaemonProcess> scheduler_{};
};

void bind_gang(const fs::path& folder, const std::string& program) {
  Bench bench(folder, program, "train");
  const auto comes = [](lab::World& world) {
    Bench::load(world, group_json("train", kGang, 1000));
    for (int i = 0; i < kGang; ++i) Bench::load(world, pod_json("train", i, "2"));
  };
  const double took = bench.took(comes, kGang, [](const Json& pod) {
    return !lab::text_at(pod, {"spec", "nodeName"}).empty();
  });
  report("scheduler/bind_gang/" + std::to_string(kGang), took, "ms");
}

void remove_group(const fs::path& folder, const std::string& program) {
  constexpr int kVictims = kNodes * kVictimsPerNode;
  Bench bench(folder, program, "batch");
  Bench::load(bench.world(), group_json("batch", 1, 0));
  for (int i = 0; i < kVictims; ++i) {
    Bench::load(bench.world(), pod_json("batch", i, "1", i / kVictimsPerNode));
  }
  const auto comes = [](lab::World& world) {
    Bench::load(world, group_json("train", kNodes, 1000));
    for (int i = 0; i < kNodes; ++i) Bench::load(world, pod_json("train", i, "10"));
  };
  const double took = bench.took(comes, kVictims, [](const Json& pod) {
    return !lab::text_at(pod, {"metadata", "deletionTimestamp"}).empty();
  });
  report("scheduler/remove_for_gang/" + std::to_string(kVictims), took / 1000, "s");
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): an exception here is a defect, and shall leave a core
int main(int argc, char** argv) {
  if (argc != 2) give_up("usage: gang_driver ELBOWROOM_SCHEDULER");
  std::string name = (fs::temp_directory_path() / "elbowroom-bench-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) give_up("no folder could be made for temporary files");
  bind_gang(name, argv[1]);
  remove_group(name, argv[1]);
  std::error_code ignored;
  fs::remove_all(name, ignored);
}
