// Measures from outside how fast one elbowroom-rescheduler moves pods where nothing limits it, and
// prints a JSON line for test/bench/run: each of 600 pods, every one of an owner of its own,
// prefers another zone. A move is a dry run, the entry of the node to avoid, and the eviction,
// asked of the lab's API server. No controller creates the pods again: the next move does not wait
// for that.
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "lab/apiserver/api_server.h"
#include "lab/daemon_process.h"
#include "lab/world/json.h"
#include "lab/world/world.h"
#include "test/bench/figure.h"
#include "test/bench/process.h"
#include "test/bench/running_pod.h"

namespace {

namespace fs = std::filesystem;
using namespace elbowroom;
using namespace std::chrono_literals;
using bench::give_up;
using lab::Json;
using Clock = std::chrono::steady_clock;

constexpr int kNodes = 20;  // in each of the two zones
constexpr int kPods = 600;
constexpr auto kPatience = 120s;
constexpr const char* kTime = "2026-07-24T10:00:00Z";
constexpr const char* kRules =
    "apiVersion: elbowroom.dev/v1alpha1\nkind: ReschedulerConfiguration\nleaderElect: false\n"
    "interval: 10s\nmaxMovesPerHour: 1000\nmaxMovesPerNodePerHour: 1000\n"
    "policies: {affinityPreference: {enabled: true}}\n";

Json node_json(int number) {
  const Json amounts = {{"cpu", "16"}, {"memory", "64Gi"}, {"pods", "110"}};
  const char* zone = number < kNodes ? "a" : "b";
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata", {{"name", "node-" + std::to_string(number)}, {"labels", {{"zone", zone}}}}},
          {"status",
           {{"capacity", amounts},
            {"allocatable", amounts},
            {"conditions", Json::array({{{"type", "Ready"}, {"status", "True"}}})}}}};
}

Json pod_json(int number) {
  const std::string name = "web-" + std::to_string(number);
  Json pod = bench::running_pod(name, "node-" + std::to_string(number % kNodes), kTime);
  pod["metadata"]["ownerReferences"] = Json::array({{{"apiVersion", "apps/v1"},
                                                     {"kind", "ReplicaSet"},
                                                     {"name", name},
                                                     {"uid", "set-of-" + name},
                                                     {"controller", true}}});
  const Json in_zone = {{"key", "zone"}, {"operator", "In"}, {"values", {"b"}}};
  const Json prefers = {{"weight", 100},
                        {"preference", {{"matchExpressions", Json::array({in_zone})}}}};
  pod["spec"]["affinity"]["nodeAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"] =
      Json::array({prefers});
  return pod;
}

class Bench {
 public:
  Bench(fs::path folder, std::string program)
      : folder_(std::move(folder)), program_(std::move(program)) {
    for (int i = 0; i < 2 * kNodes; ++i) load(node_json(i));
    for (int i = 0; i < kPods; ++i) load(pod_json(i));
    // Without it all owners would rest once, as after an installation.
    load({{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", "elbowroom-rescheduler-rests"}, {"namespace", "kube-system"}}},
          {"data", {{"rests.json", "{}"}}}});
    if (auto started = api_.start(); !started) give_up(started.error().message);
    std::ofstream(folder_ / "kubeconfig") << api_.kubeconfig();
    std::ofstream(folder_ / "config.yaml") << kRules;
  }

  void measure() {
    const int port = bench::free_port();
    auto rescheduler =
        lab::DaemonProcess::start(program_,
                                  {"--kubeconfig=" + (folder_ / "kubeconfig").string(),
                                   "--config=" + (folder_ / "config.yaml").string(),
                                   "--listen=127.0.0.1:" + std::to_string(port)},
                                  (folder_ / "rescheduler.log").string());
    if (!rescheduler) give_up(rescheduler.error().message);
    if (!lab::comes_true([&] { return leaving() > 0; }, kPatience)) give_up("nothing moves");
    const int first = leaving();
    const auto begun = Clock::now();
    if (!lab::comes_true([&] { return leaving() == kPods; }, kPatience)) {
      give_up(std::to_string(leaving()) + " of " + std::to_string(kPods) + " pods moved");
    }
    const double seconds = bench::milliseconds(Clock::now() - begun) / 1000;
    bench::report("rescheduler/moves", (kPods - first) / seconds, "1/s");
  }

 private:
  void load(const Json& object) {
    if (!world_.load(object)) give_up("an object of the benchmark's own was refused");
  }
  int leaving() {
    int count = kPods;
    api_.with_world([&](lab::World& world) {
      for (const Json* each : world.all_stored_objects(*lab::find_kind("", "v1", "pods"))) {
        if (!each->at("metadata").contains("deletionTimestamp")) --count;
      }
    });
    return count;
  }

  const fs::path folder_;
  const std::string program_;
  lab::World world_{{}};
  lab::ApiServer api_{world_, {}};
};

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): an exception here is a defect, and shall leave a core
int main(int argc, char** argv) {
  if (argc != 3) give_up("usage: move_driver FOLDER ELBOWROOM_RESCHEDULER");
  Bench(argv[1], argv[2]).measure();
}
