// Measures how fast one elbowroom-scheduler makes room, from outside, and prints JSON lines for
// test/bench/run. Nodes of the lab are full, and on each one pod's resize becomes Deferred: one
// node after the other, and on a thousand nodes at once. A measurement ends when a watch shows the
// victim terminating, so the server's work and the watch are in every figure. The watch covers only
// the victims' namespace, so it does not read the preemptors first. The cost of a resize is counted
// until the last victim has its event.
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/codec/decode_pod.h"
#include "api/transport/curl_transport.h"
#include "api/transport/kubeconfig.h"
#include "api/watch/watcher.h"
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
using bench::percentile;
using bench::report;
using lab::Json;
using Clock = std::chrono::steady_clock;

constexpr int kOneByOne = 200;
constexpr int kAtOnce = 1000;
constexpr auto kPatience = 120s;
constexpr const char* kTime = "2026-07-24T10:00:00Z";

Json node_json(int number) {
  const Json amounts = {{"cpu", "4"}, {"memory", "8Gi"}, {"pods", "110"}};
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata", {{"name", "node-" + std::to_string(number)}}},
          {"status",
           {{"capacity", amounts},
            {"allocatable", amounts},
            {"conditions", Json::array({{{"type", "Ready"}, {"status", "True"}}})}}}};
}

// It has `has` and wants `wants`, in cpus. Its name decides its namespace.
Json pod_json(const std::string& name, int node, int priority, int has, int wants) {
  const Json allocated = {{"cpu", std::to_string(has)}, {"memory", "64Mi"}};
  const Json desired = {{"cpu", std::to_string(wants)}, {"memory", "64Mi"}};
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata",
           {{"name", name + "-" + std::to_string(node)},
            {"namespace", name},
            {"uid", name + "-uid-" + std::to_string(node)},
            {"generation", 2}}},
          {"spec",
           {{"nodeName", "node-" + std::to_string(node)},
            {"priority", priority},
            {"terminationGracePeriodSeconds", 600},
            {"containers", Json::array({{{"name", "app"},
                                         {"image", "registry.example/app:1"},
                                         {"resources", {{"requests", desired}}}}})}}},
          {"status",
           {{"phase", "Running"},
            {"startTime", kTime},
            {"containerStatuses", Json::array({{{"name", "app"},
                                                {"state", {{"running", {{"startedAt", kTime}}}}},
                                                {"ready", true},
                                                {"allocatedResources", allocated},
                                                {"resources", {{"requests", allocated}}}}})}}}};
}

class Bench {
 public:
  Bench(const fs::path& folder, const std::string& program) : folder_(folder) {
    for (int node = 0; node < kOneByOne + kAtOnce; ++node) {
      load(node_json(node));
      load(pod_json("web", node, 1000, 1, 2));
      load(pod_json("batch", node, 0, 3, 3));
    }
    if (auto started = api_.start(); !started) give_up(started.error().message);
    std::ofstream(folder_ / "kubeconfig") << api_.kubeconfig();
    start(program);
    follow();
  }

  void run() {
    one_by_one();
    at_once();
  }

 private:
  void load(const Json& object) {
    if (!world_.load(object)) give_up("an object of the benchmark's own was refused");
  }

  void start(const std::string& program) {
    const int port = bench::free_port();
    auto started = lab::DaemonProcess::start(
        program,
        {"--kubeconfig=" + (folder_ / "kubeconfig").string(), "--leader-elect=false",
         "--yield-to=", "--listen=127.0.0.1:" + std::to_string(port)},
        (folder_ / "scheduler.log").string());
    if (!started) give_up(started.error().message);
    scheduler_.emplace(*std::move(started));
    if (!lab::comes_true([&] { return bench::is_ready(port); }, kPatience)) give_up("never ready");
  }

  // Records when each pod is first seen terminating.
  void follow() {
    auto access = api::daemon_access((folder_ / "kubeconfig").string(), {});
    if (!access) give_up(access.error().message);
    transport_.emplace(*std::move(access), api::TransportOptions{});
    watcher_.emplace(
        *transport_, api::WatchTarget{.path = "/api/v1/namespaces/batch/pods", .kind = "Pod"},
        api::ListWatchOptions{}, api::decode_pod, [this](api::WatchReport<policy::Pod> news) {
          if (std::holds_alternative<api::Replaced<policy::Pod>>(news)) follows_ = true;
          const auto* one = std::get_if<api::Upserted<policy::Pod>>(&news);
          if (one == nullptr || !one->object.deletion) return;
          gone_.try_emplace(one->object.name, Clock::now());
        });
    watcher_->start();
    run_until([&] { return follows_; });
  }

  template <class Holds>
  void run_until(Holds holds) {
    const auto until = Clock::now() + kPatience;
    while (!holds()) {
      if (Clock::now() > until) give_up("the scheduler made no room; see what it says itself");
      transport_->run_once(100ms);
    }
  }

  // The node marks that pod's resize Deferred.
  static void defer(lab::World& world, int node) {
    const Json pending = {
        {"type", "PodResizePending"},  {"status", "True"},
        {"reason", "Deferred"},        {"observedGeneration", 2},
        {"lastTransitionTime", kTime}, {"message", "Node didn't have enough resource: cpu"}};
    const auto changed = world.patch({lab::find_kind("", "v1", "pods"), "web",
                                      "web-" + std::to_string(node), lab::Subresource::Status},
                                     lab::PatchType::StrategicMerge,
                                     {{"status", {{"conditions", Json::array({pending})}}}});
    if (!changed) give_up("a condition was refused: " + changed.error().message);
  }

  void one_by_one() {
    std::vector<double> took;
    for (int node = 0; node < kOneByOne; ++node) {
      api_.with_world([&](lab::World& world) { defer(world, node); });
      const auto begun = Clock::now();
      const std::string victim = "batch-" + std::to_string(node);
      run_until([&] { return gone_.contains(victim); });
      took.push_back(milliseconds(gone_.at(victim) - begun));
    }
    report("scheduler/seen_to_delete/p50", percentile(took, 0.5), "ms");
    report("scheduler/seen_to_delete/p99", percentile(took, 0.99), "ms");
  }

  void at_once() {
    gone_.clear();
    const double before = bench::cpu_seconds(scheduler_->pid());
    api_.with_world([&](lab::World& world) {
      for (int i = 0; i < kAtOnce; ++i) defer(world, kOneByOne + i);
    });
    const auto begun = Clock::now();
    run_until([&] { return gone_.size() >= kAtOnce; });
    const auto by_time = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto [first, last] = std::minmax_element(gone_.begin(), gone_.end(), by_time);
    const double until_deleted = bench::cpu_seconds(scheduler_->pid()) - before;
    const auto told = Clock::now() + kPatience;
    while (victims_told() < kOneByOne + kAtOnce) {
      if (Clock::now() > told) give_up("not every victim was told by an event");
      transport_->run_once(100ms);
    }
    const auto last_event = Clock::now();
    const double used = bench::cpu_seconds(scheduler_->pid()) - before;
    const std::string size = std::to_string(kAtOnce);
    report("scheduler/first_delete/" + size, milliseconds(first->second - begun), "ms");
    report("scheduler/all_deletes/" + size, milliseconds(last->second - begun) / 1000, "s");
    report("scheduler/victim_events/" + size, milliseconds(last_event - begun) / 1000, "s");
    report("scheduler/cpu_until_deleted/" + size, until_deleted * 1000 / kAtOnce, "ms");
    report("scheduler/cpu_per_resize/" + size, used * 1000 / kAtOnce, "ms");
  }

  // The number of victims that have an event.
  int victims_told() {
    std::set<std::string> told;
    api_.with_world([&](lab::World& world) {
      const lab::Kind& events = *lab::find_kind("", "v1", "events");
      for (const Json* each : world.all_stored_objects(events)) {
        if (lab::text_at(*each, {"reason"}) == "Preempted") {
          told.insert(lab::text_at(*each, {"involvedObject", "name"}));  // as it is stored
        }
      }
    });
    return static_cast<int>(told.size());
  }

  const fs::path folder_;
  lab::World world_{{}};
  lab::ApiServer api_{world_, {}};
  std::optional<lab::DaemonProcess> scheduler_{};
  std::optional<api::CurlTransport> transport_{};
  std::optional<api::Watcher<policy::Pod>> watcher_{};
  bool follows_ = false;
  std::map<std::string, Clock::time_point> gone_{};
};

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): an exception here is a defect, and shall leave a core
int main(int argc, char** argv) {
  if (argc != 2) give_up("usage: removal_driver ELBOWROOM_SCHEDULER");
  std::string name = (fs::temp_directory_path() / "elbowroom-bench-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) give_up("no folder could be made for temporary files");
  Bench(name, argv[1]).run();
  std::error_code ignored;
  fs::remove_all(name, ignored);
}
