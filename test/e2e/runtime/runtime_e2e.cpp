// Sizes of a real container, set through a real containerd and read back from its cgroup files. It
// drives our client, pod cgroups and actuation plan without an API server or an agent;
// test/e2e/runtime/run.sh starts the containerd it talks to.
//
//   runtime_e2e DIR CONTAINERD.SH     DIR as containerd.sh start made it; exit 0: all was seen
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <thread>

#include "cri/cgroup.h"
#include "cri/client.h"
#include "cri/convert.h"
#include "cri/pod_cgroup.h"
#include "cri/runtime_view.h"
#include "policy/resize/actuate.h"
#include "test/e2e/runtime/checks.h"

namespace elbowroom {
namespace {

using namespace e2e;

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t kMi = std::int64_t{1} << 20;
constexpr milliseconds kLong{20'000};

// True as soon as `holds` is, false if it is not within ten seconds. Each turn makes a call or
// reads files, and so waits for the state.
bool comes_true(const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + seconds(10);
  while (std::chrono::steady_clock::now() < end) {
    if (holds()) return true;
    usleep(20'000);
  }
  return false;
}

policy::Requirements size(std::int64_t request_m, std::int64_t limit_m, std::int64_t memory) {
  policy::Requirements of;
  of.requests.cpu.value = request_m;
  of.limits.cpu.value = limit_m;
  of.requests.memory.value = of.limits.memory.value = memory;
  return of;
}

std::string told(const cri::RuntimeResources& sizes) {
  const std::string weight = sizes.cpu_weight != 0 ? "weight " + std::to_string(sizes.cpu_weight)
                                                   : "shares " + std::to_string(sizes.cpu_shares);
  return "quota " + std::to_string(sizes.cpu_quota_us) + ", " + weight + ", memory " +
         std::to_string(sizes.memory_limit_bytes / kMi) + " Mi";
}

// One pod with one container, and everything needed to resize it.
struct Bench {
  cri::Client& client;
  cri::Cgroups& cgroups;
  cri::CgroupPath pod_group;
  cri::SandboxSpec sandbox{};
  std::string sandbox_id{};
  std::string container_id{};
  policy::Requirements actuated{};

  [[nodiscard]] cri::CgroupPath container_group() const {
    return cri::container_cgroup_of(cri::CgroupDriver::Cgroupfs, pod_group, container_id,
                                    "containerd")
        .value();
  }

  [[nodiscard]] policy::PodToActuate to_actuate(const policy::Requirements& allocated) const {
    policy::PodToActuate pod;
    pod.qos = policy::Qos::Burstable;
    policy::ContainerToActuate c;
    c.name = "app";
    c.actuated = actuated;
    c.allocated = allocated;
    c.is_running = true;
    pod.containers.push_back(c);
    const auto bounds = cri::read_bounds(cgroups, pod_group, policy::allocated_bounds(pod));
    if (bounds) pod.cgroup = *bounds;
    return pod;
  }

  Result<void> carry_out(const policy::ActuationStep& step) {
    if (const auto* use = std::get_if<policy::CheckMemory>(&step)) {
      const bool is_pod = use->container.empty();
      ASSIGN_OR_RETURN(const cri::MemoryUse now,
                       cgroups.memory_use(is_pod ? pod_group : container_group()));
      return cri::check_memory_limit(is_pod ? "pod" : "container \"app\"", use->limit.value, now);
    }
    if (const auto* set = std::get_if<policy::SetPod>(&step)) {
      return cri::set_pod(cgroups, pod_group, *set);
    }
    if (const auto* update = std::get_if<policy::UpdateContainer>(&step)) {
      return client.update_container(container_id, cri::update_for(update->before, update->after));
    }
    return failure(Code::Internal, "no restart is expected here");
  }

  // Retries while the runtime gives no answer in time, as the agent does: an emulated machine is
  // slow.
  Result<void> resize(const policy::Requirements& allocated) {
    Result<void> result;
    comes_true([&] {
      result = resize_once(allocated);
      return result || result.error().code != Code::Unavailable;
    });
    return result;
  }

  Result<void> resize_once(const policy::Requirements& allocated) {
    for (const policy::ActuationStep& step : policy::plan_actuation(to_actuate(allocated))) {
      Result<void> result = carry_out(step);
      if (!result) return std::unexpected(result.error().with(policy::describe(step)));
    }
    actuated = allocated;
    return {};
  }

  // The container as runtime and cgroup have it.
  Result<cri::RuntimeResources> actual() {
    ASSIGN_OR_RETURN(const cri::RuntimeContainer status, client.container_status(container_id));
    ASSIGN_OR_RETURN(const cri::RuntimeResources group, cgroups.read(container_group()));
    return cri::actual_of(status.resources, group).value();
  }

  void check_size(const policy::Requirements& wanted, const std::string& what) {
    const Result<cri::RuntimeResources> now = actual();
    if (!now) {
      check(now, what);
      return;
    }
    check(cri::matches(wanted, *now), what + ": the container's cgroup says " + told(*now));
    const policy::PodBounds bounds = policy::allocated_bounds(to_actuate(wanted));
    const auto pod = cri::read_bounds(cgroups, pod_group, bounds);
    check(pod && *pod == bounds,
          what + ": the pod's cgroup says " +
              told(cgroups.read(pod_group).value_or(cri::RuntimeResources{})));
  }
};

bool start_pod(Bench& bench, const policy::Requirements& allocated) {
  bench.sandbox.pod_uid = "elbowroom-e2e-1";
  bench.sandbox.ns = "e2e";
  bench.sandbox.name = "web";
  bench.sandbox.cgroup_parent = bench.pod_group.text();
  bench.actuated = allocated;
  const policy::PodBounds bounds = policy::allocated_bounds(bench.to_actuate(allocated));
  if (!check(cri::create_pod_cgroup(bench.cgroups, bench.pod_group, bounds),
             "the pod's cgroup is made")) {
    return false;
  }
  const auto sandbox = bench.client.run_sandbox(bench.sandbox, kLong);
  if (!check(sandbox, "a sandbox runs")) return false;
  bench.sandbox_id = *sandbox;

  cri::ContainerSpec container;
  container.name = "app";
  container.image = "localhost/busybox:test";
  container.command = {"/bin/sh", "-c",
                       "trap exit TERM; dd if=/dev/zero of=/dev/shm/x bs=1048576 count=20; "
                       "sleep 100000 & wait"};
  container.resources = cri::resources_for(allocated);
  const auto id = bench.client.create_container(bench.sandbox_id, bench.sandbox, container, kLong);
  if (!check(id, "a container is made")) return false;
  bench.container_id = *id;
  return check(bench.client.start_container(bench.container_id, kLong), "it is started");
}

void watch_it(Bench& bench) {
  cri::RuntimePoll poll(bench.client);
  const auto view = poll.poll();
  if (!check(view, "the runtime is polled")) return;
  const cri::RuntimeContainer* seen = view->find("elbowroom-e2e-1", "app");
  check(seen != nullptr && seen->id == bench.container_id &&
            seen->state == cri::ContainerState::Running,
        "the poll finds the pod's running container");
  check(comes_true([&] {
          const auto use = bench.cgroups.memory_use(bench.container_group());
          return use && use->working_set() > 20 * kMi;
        }),
        "its cgroup says that it uses more than 20 Mi");
}

void refuse_below_use(Bench& bench, const policy::Requirements& before) {
  const Result<void> refused = bench.resize(size(250, 500, 8 * kMi));
  check(!refused && refused.error().code == Code::Conflict,
        "memory below usage is refused: " + (refused ? "it was not" : refused.error().message));
  bench.check_size(before, "nothing changed");
  if (bench.cgroups.version() != cri::CgroupVersion::V1) return;
  const Result<void> forced =
      bench.client.update_container(bench.container_id, {.memory_limit_bytes = kMi});
  check(!forced && forced.error().code == Code::Invalid,
        "the runtime refuses it too: " +
            (forced ? "it did not" : forced.error().message.substr(0, 160)));
  bench.check_size(before, "still nothing changed");
}

void restart_in_mid_update(Bench& bench, const std::string& script, const std::string& dir) {
  std::atomic<int> accepted = 0;
  std::atomic<int> failed = 0;
  std::atomic<int> wrong = 0;
  std::string last;
  std::jthread updates([&](const std::stop_token& stop) {
    for (std::int64_t i = 0; !stop.stop_requested(); ++i) {
      const Result<void> update = bench.client.update_container(
          bench.container_id, cri::resources_for(size(500, 1000 + i % 2 * 500, 128 * kMi)));
      if (update) {
        ++accepted;
      } else {
        ++failed;
        if (update.error().code != Code::Unavailable) ++wrong;
        last = update.error().message;
        usleep(10'000);
      }
    }
  });
  check(comes_true([&] { return accepted > 5; }), "updates are under way");
  check(run(script, "restart", dir) == 0, "containerd is killed in mid-update and started again");
  const int before = accepted;
  check(comes_true([&] { return accepted > before + 5; }),
        "updates go on by themselves over the same client");
  updates.request_stop();
  updates.join();
  check(failed > 0, std::to_string(failed.load()) + " updates failed meanwhile, the last: " + last);
  check(wrong == 0, "each of them as Unavailable: to be tried again");
}

int play(const std::string& dir, const std::string& script) {
  const auto client = cri::Client::open(dir + "/containerd.sock");
  if (!check(client, "the runtime's socket is named")) return 1;
  const auto version = (*client)->version();
  if (!check(version, "the runtime answers")) return 1;
  std::printf("       %s %s\n", version->name.c_str(), version->version.c_str());
  auto cgroups = cri::Cgroups::open("/sys/fs/cgroup");
  if (!check(cgroups, "cgroups are mounted")) return 1;
  std::printf("       cgroup version %d\n", cgroups->version() == cri::CgroupVersion::V1 ? 1 : 2);

  Bench bench{
      **client, *cgroups,
      cri::pod_cgroup_of(cri::CgroupDriver::Cgroupfs, policy::Qos::Burstable, "elbowroom-e2e-1")
          .value()};
  const policy::Requirements small = size(500, 1000, 64 * kMi);
  if (start_pod(bench, small)) {
    bench.check_size(small, "as started");
    watch_it(bench);
    const policy::Requirements large = size(1000, 1500, 128 * kMi);
    check(bench.resize(large), "resized up");
    bench.check_size(large, "after growing");
    const policy::Requirements less = size(250, 500, 40 * kMi);
    check(bench.resize(less), "resized down");
    bench.check_size(less, "after shrinking");
    refuse_below_use(bench, less);
    check(bench.resize(large), "resized up again");

    const auto started = bench.client.container_status(bench.container_id);
    restart_in_mid_update(bench, script, dir);
    bench.actuated = small;  // the reached state is unknown: the plan starts over
    check(bench.resize(large), "the plan is carried out anew");
    bench.check_size(large, "after the restart");
    const auto now = bench.client.container_status(bench.container_id);
    check(started && now && started->started_at_ns == now->started_at_ns &&
              now->state == cri::ContainerState::Running,
          "the container is the same and was never stopped");
    check(bench.client.stop_container(bench.container_id, seconds(2), kLong), "it is stopped");
  }
  if (!bench.sandbox_id.empty()) {
    check(bench.client.stop_sandbox(bench.sandbox_id, kLong), "the sandbox is stopped");
    check(bench.client.remove_sandbox(bench.sandbox_id, kLong), "the sandbox is removed");
  }
  check(comes_true([&] { return bench.cgroups.remove(bench.pod_group).has_value(); }),
        "the pod's cgroup is removed");
  return conclude();
}

}  // namespace
}  // namespace elbowroom

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: runtime_e2e DIR CONTAINERD.SH\n");
    return 2;
  }
  return elbowroom::play(argv[1], argv[2]);
}
