// Pods that grow and shrink in real containers: the pod runner starts them, elbowroomd resizes
// them, and every size is read back from the cgroup files. Runner and agent are the programs as
// delivered, the API server is the lab's, and runc is called through a script that writes down each
// update and can hold one back (containerd.sh), so that "in mid-update" is no matter of luck.
//
//   pods_e2e DIR CONTAINERD.SH BIN    DIR as containerd.sh start made it, BIN holds the programs;
//                                     exit 0: all was seen
#include <httplib.h>
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "cri/cgroup.h"
#include "cri/convert.h"
#include "cri/pod_cgroup.h"
#include "lab/apiserver/api_server.h"
#include "lab/daemon_process.h"
#include "lab/world/json.h"
#include "lab/world/kind.h"
#include "lab/world/world.h"
#include "test/e2e/runtime/checks.h"

namespace elbowroom {
namespace {

using namespace e2e;
using namespace std::chrono_literals;
using lab::Json;

constexpr std::int64_t kMi = std::int64_t{1} << 20;
constexpr auto kPatience = 30'000ms;
constexpr auto kUid = "elbowroom-e2e-web";  // containerd.sh removes groups of such names
constexpr int kHeldMi = 20;                 // what the container keeps in memory until USR1

// The expected size of a pod's container and of the pod itself.
struct Size {
  int request_m = 0;
  int limit_m = 0;
  int memory_mi = 0;

  [[nodiscard]] std::int64_t quota() const { return std::int64_t{limit_m} * 100; }
  [[nodiscard]] std::int64_t shares() const { return std::int64_t{request_m} * 1024 / 1000; }
};

// `memory` is a limit; the request stays, so that only the limit changes.
Json resources(const Size& size) {
  // As the API writes it, so that spec and status can be compared as text.
  const std::string request = size.request_m % 1000 == 0 ? std::to_string(size.request_m / 1000)
                                                         : std::to_string(size.request_m) + "m";
  return {{"requests", {{"cpu", request}, {"memory", "4Mi"}}},
          {"limits",
           {{"cpu", std::to_string(size.limit_m) + "m"},
            {"memory", std::to_string(size.memory_mi) + "Mi"}}}};
}

Json pod_object(const Size& size) {
  const std::string script =
      "trap 'exit 0' TERM; trap 'rm /dev/shm/held' USR1; "
      "dd if=/dev/zero of=/dev/shm/held bs=1048576 count=" +
      std::to_string(kHeldMi) + "; while :; do sleep 100000 & wait $!; kill $!; done";
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"name", "web"}, {"namespace", "default"}, {"uid", kUid}}},
          {"spec",
           {{"nodeName", "node-1"},
            {"terminationGracePeriodSeconds", 2},
            {"containers", Json::array({{{"name", "app"},
                                         {"image", "localhost/busybox:test"},
                                         {"command", {"/bin/sh", "-c", script}},
                                         {"resources", resources(size)}}})}}}};
}

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

class Play {
 public:
  Play(std::string dir, std::string script, std::string bin, cri::Cgroups cgroups)
      : dir_(std::move(dir)),
        script_(std::move(script)),
        bin_(std::move(bin)),
        cgroups_(std::move(cgroups)) {}

  int play() {
    if (begin()) {
      follows_up_and_down();
      refuses_memory_below_usage();
      survives_a_restart_of_containerd();
      survives_its_own_death();
    }
    end();
    if (failures > 0) std::printf("what elbowroomd wrote:\n%s", text_of(log("agent")).c_str());
    if (failures > 0) std::printf("what the runner wrote:\n%s", text_of(log("runner")).c_str());
    return conclude();
  }

 private:
  // ---- the story ----

  bool begin() {
    if (!check(api_.start(), "an API server serves")) return false;
    std::ofstream(dir_ + "/kubeconfig") << api_.kubeconfig();
    auto runner = lab::DaemonProcess::start(
        bin_ + "/elbowroom",
        {"lab", "kubelet", "--kubeconfig", dir_ + "/kubeconfig", "--node-name", "node-1",
         "--runtime-endpoint", socket(), "--cgroup-root", "/sys/fs/cgroup"},
        log("runner"));
    if (!check(runner, "the pod runner is started")) return false;
    runner_.emplace(*std::move(runner));
    if (!sees("it registers its node", [&] {
          return api_
              .with_world([](lab::World& world) {
                return world.get({lab::find_kind("", "v1", "nodes"), "", "node-1"});
              })
              .has_value();
        })) {
      return false;
    }
    if (!start_agent()) return false;
    const Size small{500, 1100, 64};
    const auto made =
        api_.with_world([&](lab::World& world) { return world.load(pod_object(small)); });
    if (!check(made.has_value(), "a pod is written")) return false;
    if (!sees("its container runs", [&] { return !container_id().empty(); })) return false;
    began_ = started_at();
    id_ = container_id();
    return becomes(small, "as started") &&
           sees("it uses more than " + std::to_string(kHeldMi) + " Mi",
                [&] { return usage() > kHeldMi * kMi; });
  }

  void follows_up_and_down() {
    resize({1000, 1500, 128});
    becomes({1000, 1500, 128}, "after growing");
    settles("after growing");
    resize({250, 500, 40});
    becomes({250, 500, 40}, "after shrinking");
    settles("after shrinking");
    is_the_same("resized up and down");
  }

  void refuses_memory_below_usage() {
    resize({250, 500, 12});
    is_refused(12);
    stays({250, 500, 40}, "nothing changed");
    resize({250, 500, 48});
    becomes({250, 500, 48}, "the limit raised above the usage");
    settles("then");

    resize({250, 500, 12});
    is_refused(12);
    stays({250, 500, 48}, "nothing changed");
    let_go_of_memory();
    becomes({250, 500, 12}, "the usage fallen below the limit");
    settles("then");
    is_the_same("refused and resized");
  }

  void survives_a_restart_of_containerd() {
    const std::string cpu = "\"quota\":120000";
    hold(cpu);
    const std::size_t before = updates("asked").size();
    resize({600, 1200, 64});
    sees("runc is asked for a quota of 120000, and is held back",
         [&] { return holding(before, cpu); });
    check(run(script_, "kill", dir_) == 0, "containerd is killed with -9 in mid-update");
    release();
    sees("elbowroomd is not ready, and says why",
         [&] { return readiness("runtime").find("503") == 0; });
    std::printf("       %s\n", readiness("runtime").c_str());
    check(run(script_, "boot", dir_) == 0, "containerd is started again");
    becomes({600, 1200, 64}, "after the restart");
    settles("after the restart");
    sees("elbowroomd is ready again", [&] { return readiness("").find("200") == 0; });
    is_the_same("with a runtime that was killed");
  }

  void survives_its_own_death() {
    const std::size_t before = updates("asked").size();
    const std::size_t made_before = updates("made").size();
    const std::string first = "\"quota\":120000";  // memory comes first, with the cpu as it was
    const std::string second = "\"quota\":180000";
    hold(second);
    resize({900, 1800, 96});
    sees("runc has set the memory, is asked for the cpu, and is held back",
         [&] { return holding(before, second); });
    agent_->kill();
    check(true, "elbowroomd is killed with -9");
    release();
    sees("runc ends what it was asked for", [&] {
      const auto made = since(made_before, "made");
      return !made.empty() && made.back().find(second) != std::string::npos;
    });
    if (!start_agent()) return;
    becomes({900, 1800, 96}, "after its return");
    settles("after its return");
    const auto made = since(made_before, "made");
    const auto times = [&](const std::string& part) {
      return std::ranges::count_if(
          made, [&](const std::string& line) { return line.find(part) != std::string::npos; });
    };
    check(times(first) == 1, "what runc had answered for was not done again");
    // No agent was running to hear that the second update was done.
    check(times(second) <= 2, "what was under way was done again at most once: it was done " +
                                  std::to_string(times(second)) + " times");
    check(made.size() == static_cast<std::size_t>(times(first) + times(second)),
          "there was no other update");
    check(restarts() == 0 && removals() == 0, "nothing was restarted or removed");
    is_the_same("with an agent that was killed");
  }

  void end() {
    release();
    (void)api_.with_world(
        [&](lab::World& world) { return world.remove(pod_target(), {.grace_seconds = 1}); });
    if (runner_) {
      sees("the pod is deleted, and gone", [&] { return pod().is_null(); });
      sees("its cgroup is gone", [&] { return !cgroups_.exists(pod_group()); });
    }
    if (agent_) {
      const auto status = agent_->stop(10'000ms);
      check(status && *status == 0, "elbowroomd ends cleanly");
    }
    if (runner_) {
      const auto status = runner_->stop(10'000ms);
      check(status && *status == 0, "the pod runner ends cleanly");
    }
    api_.stop();
  }

  // ---- actions ----

  bool start_agent() {
    std::ofstream(log("agent"), std::ios::app) << "";
    log_read_from_ = text_of(log("agent")).size();
    auto started = lab::DaemonProcess::start(
        bin_ + "/elbowroomd",
        {"--mode=authority", "--kubelet-healthz=", "--critical-preemption=true",
         "--node-name=node-1", "--kubeconfig=" + dir_ + "/kubeconfig",
         "--runtime-endpoint=" + socket(), "--cgroup-root=/sys/fs/cgroup",
         "--state-dir=" + dir_ + "/agent-state", "--listen=127.0.0.1:0", "--log-format=json"},
        log("agent"));
    if (!check(started, "elbowroomd is started in mode authority")) return false;
    agent_.emplace(*std::move(started));
    return sees("it is ready", [&] { return readiness("").find("200") == 0; });
  }

  void resize(const Size& size) {
    const Json patch = {
        {"spec",
         {{"containers", Json::array({{{"name", "app"}, {"resources", resources(size)}}})}}}};
    lab::Target target = pod_target();
    target.subresource = lab::Subresource::Resize;
    const auto answer = api_.with_world([&](lab::World& world) {
      return world.patch(target, lab::PatchType::StrategicMerge, patch);
    });
    check(answer.has_value(), "written: pods/web/resize to cpu " + std::to_string(size.request_m) +
                                  "m, at most " + std::to_string(size.limit_m) + "m, memory " +
                                  std::to_string(size.memory_mi) + " Mi" +
                                  (answer ? "" : ": " + answer.error().message));
  }

  void hold(const std::string& sizes) { std::ofstream(dir_ + "/hold") << sizes << "\n"; }
  void release() { std::filesystem::remove(dir_ + "/hold"); }

  // Signals the container's first process, a shell that waits for it, to free the memory.
  void let_go_of_memory() {
    const std::string root =
        cgroups_.version() == cri::CgroupVersion::V1 ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup";
    std::istringstream pids(text_of(root + container_group().text() + "/cgroup.procs"));
    for (pid_t pid = 0; pids >> pid;) {
      const std::string status = text_of("/proc/" + std::to_string(pid) + "/status");
      if (status.find("\t1\n", status.find("NSpid:")) < status.find('\n', status.find("NSpid:"))) {
        check(kill(pid, SIGUSR1) == 0, "the container is told to let go of its memory");
      }
    }
    sees("it uses less than 10 Mi", [&] { return usage() < 10 * kMi; });
  }

  // ---- observations ----

  static lab::Target pod_target() { return {lab::find_kind("", "v1", "pods"), "default", "web"}; }

  Json pod() {
    const auto found = api_.with_world([](lab::World& world) { return world.get(pod_target()); });
    return found ? *found : Json();
  }

  Json container_status() {
    const Json now = pod();
    const Json& statuses = lab::list_at(now, {"status", "containerStatuses"});
    return statuses.empty() ? Json::object() : statuses[0];
  }

  std::string container_id() {
    const std::string text = lab::text_at(container_status(), {"containerID"});
    const auto at = text.find("://");
    return at == std::string::npos ? "" : text.substr(at + 3);
  }
  std::string started_at() {
    return lab::text_at(container_status(), {"state", "running", "startedAt"});
  }
  std::int64_t restarts() {
    return lab::integer_at(container_status(), {"restartCount"}).value_or(0);
  }

  std::size_t removals() {
    const auto requests = api_.requests();
    return static_cast<std::size_t>(
        std::ranges::count(requests, "DELETE", &lab::RequestRecord::method));
  }

  Json condition(const std::string& type) {
    const Json now = pod();
    for (const Json& each : lab::list_at(now, {"status", "conditions"})) {
      if (lab::text_at(each, {"type"}) == type) return each;
    }
    return {};
  }

  static cri::CgroupPath pod_group() {
    return cri::pod_cgroup_of(cri::CgroupDriver::Cgroupfs, policy::Qos::Burstable, kUid).value();
  }
  cri::CgroupPath container_group() const {
    return cri::container_cgroup_of(cri::CgroupDriver::Cgroupfs, pod_group(), id_, "containerd")
        .value();
  }
  std::int64_t usage() {
    const auto use = cgroups_.memory_use(container_group());
    return use ? use->working_set() : 0;
  }

  bool has(const cri::CgroupPath& group, const Size& size) {
    const auto now = cgroups_.read(group);
    if (!now) return false;
    const bool same_weight = cgroups_.version() == cri::CgroupVersion::V1
                                 ? now->cpu_shares == size.shares()
                                 : cri::weight_matches(size.shares(), now->cpu_weight);
    return same_weight && now->cpu_quota_us == size.quota() &&
           now->memory_limit_bytes == size.memory_mi * kMi;
  }

  std::string told(const cri::CgroupPath& group) {
    const auto now = cgroups_.read(group);
    if (!now) return now.error().message;
    const std::string weight = cgroups_.version() == cri::CgroupVersion::V1
                                   ? "shares " + std::to_string(now->cpu_shares)
                                   : "weight " + std::to_string(now->cpu_weight);
    return "quota " + std::to_string(now->cpu_quota_us) + ", " + weight + ", memory " +
           std::to_string(now->memory_limit_bytes / kMi) + " Mi";
  }

  bool tell(bool holds, const std::string& when) {
    check(holds, when + ": the container's cgroup says " + told(container_group()));
    return check(holds, when + ": the pod's cgroup says " + told(pod_group()));
  }
  bool becomes(const Size& size, const std::string& when) {
    return tell(
        lab::comes_true([&] { return has(container_group(), size) && has(pod_group(), size); },
                        kPatience),
        when);
  }
  bool stays(const Size& size, const std::string& when) {
    return tell(has(container_group(), size) && has(pod_group(), size), when);
  }

  // The API agrees with the cgroup, and no resize is in progress.
  void settles(const std::string& when) {
    sees(when + ": the status says so too, and no resize condition is left", [&] {
      const Json now = container_status();
      return lab::find_at(now, {"resources"}) != nullptr &&
             lab::map_at(now, {"resources", "limits"}) == wanted("limits") &&
             lab::map_at(now, {"allocatedResources"}) == wanted("requests") &&
             condition("PodResizePending").is_null() && condition("PodResizeInProgress").is_null();
    });
  }
  Json wanted(const char* which) {
    const Json now = pod();
    const Json& containers = lab::list_at(now, {"spec", "containers"});
    return containers.empty() ? Json() : lab::map_at(containers[0], {"resources", which});
  }

  void is_refused(int memory_mi) {
    const std::string figure = std::to_string(memory_mi * kMi);
    sees("memory below usage is refused: PodResizeInProgress says Error", [&] {
      const Json now = condition("PodResizeInProgress");
      return lab::text_at(now, {"reason"}) == "Error" &&
             lab::text_at(now, {"message"}).find(figure) != std::string::npos;
    });
    std::printf("       %s\n", lab::text_at(condition("PodResizeInProgress"), {"message"}).c_str());
    const auto asked = updates("asked");
    check(std::ranges::none_of(
              asked, [&](const std::string& line) { return line.find(figure) != line.npos; }),
          "runc was never asked for it");
  }

  void is_the_same(const std::string& how) {
    check(container_id() == id_ && started_at() == began_ && restarts() == 0,
          "the container is the same and was never stopped: " + how);
  }

  // The lines "WHAT SIZES" that runc's script has written.
  std::vector<std::string> updates(const std::string& what) const {
    std::istringstream lines(text_of(dir_ + "/updates"));
    std::vector<std::string> found;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with(what + " ")) found.push_back(line.substr(what.size() + 1));
    }
    return found;
  }
  std::vector<std::string> since(std::size_t count, const std::string& what) const {
    auto all = updates(what);
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(count, all.size())));
    return all;
  }
  bool holding(std::size_t before, const std::string& sizes) const {
    const auto asked = since(before, "asked");
    return !asked.empty() && asked.back().find(sizes) != std::string::npos;
  }

  // The answer of /readyz: its status, and the lines that hold `part`.
  std::string readiness(const std::string& part) const {
    const std::string written = text_of(log("agent")).substr(log_read_from_);
    const std::string mark = "listening on 127.0.0.1:";
    const auto at = written.find(mark);
    if (at == std::string::npos) return "";
    httplib::Client client("127.0.0.1", std::atoi(written.c_str() + at + mark.size()));
    const auto answer = client.Get("/readyz?verbose");
    if (!answer) return "";
    std::string found = std::to_string(answer->status);
    std::istringstream lines(answer->body);
    for (std::string line; std::getline(lines, line);) {
      if (line.find(part) != std::string::npos) found += " " + line;
    }
    return found;
  }

  template <class Holds>
  bool sees(const std::string& what, Holds holds) {
    return check(lab::comes_true(holds, kPatience), what);
  }

  [[nodiscard]] std::string socket() const { return "unix://" + dir_ + "/containerd.sock"; }
  [[nodiscard]] std::string log(const std::string& whose) const {
    return dir_ + "/" + whose + ".log";
  }

  const std::string dir_;
  const std::string script_;
  const std::string bin_;
  cri::Cgroups cgroups_;
  lab::World world_{{}};
  lab::ApiServer api_{world_, {}};
  // declared last: the processes end before the server they talk to
  std::optional<lab::DaemonProcess> runner_;
  std::optional<lab::DaemonProcess> agent_;
  std::size_t log_read_from_ = 0;  // what an agent before this one wrote
  std::string id_{};
  std::string began_{};
};

}  // namespace
}  // namespace elbowroom

// NOLINTNEXTLINE(bugprone-exception-escape): a driver that cannot continue may crash
int main(int argc, char** argv) {
  using namespace elbowroom;
  if (argc != 4) {
    std::fprintf(stderr, "usage: pods_e2e DIR CONTAINERD.SH BIN\n");
    return 2;
  }
  auto cgroups = cri::Cgroups::open("/sys/fs/cgroup");
  if (!e2e::check(cgroups, "cgroups are mounted")) return 1;
  return Play(argv[1], argv[2], argv[3], *std::move(cgroups)).play();
}
