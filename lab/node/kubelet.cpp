#include "lab/node/kubelet.h"

#include <system_error>
#include <thread>
#include <utility>

namespace elbowroom::lab {
namespace {

agent::AgentOptions judge_options(const api::Access& access, std::string_view runtime_endpoint,
                                  const KubeletOptions& options) {
  const PodRunnerOptions& runner = options.runner;
  const bool has_cgroups = !runner.cgroup_root.empty();
  return {.reactor = {.node_name = runner.node_name,
                      .authority = true,
                      .critical_preemption = false,
                      .manage_pod_cgroups = has_cgroups,
                      .kubelet = true,
                      .managers = options.managers},
          .runtime = {.endpoint = std::string(runtime_endpoint),
                      .cgroup_root = has_cgroups ? runner.cgroup_root : "/sys/fs/cgroup",
                      .driver = runner.cgroup_driver,
                      .manage_pod_cgroups = has_cgroups,
                      .poll_every = runner.poll},
          .access = access,
          .state_dir = options.state_dir.string()};
}

Result<std::unique_ptr<agent::Agent>> open_judge(const api::Access& access,
                                                 std::string_view runtime_endpoint,
                                                 const KubeletOptions& options, const Disk& disk) {
  const auto trouble = [say = options.runner.complain](const std::string& what) {
    if (say) say("resizes: " + what);
  };
  return agent::Agent::open(judge_options(access, runtime_endpoint, options),
                            {.changed = [](const agent::Snapshot&) {},
                             .performed = [](const agent::Effect&) {},
                             .trouble = trouble,
                             .recording_stopped = [] {},
                             .alive = [](std::string_view) {}},
                            disk);
}

}  // namespace

Result<std::unique_ptr<Kubelet>> Kubelet::make(const api::Access& access,
                                               std::string_view runtime_endpoint,
                                               const KubeletOptions& options, const Disk& disk) {
  std::unique_ptr<Kubelet> kubelet(new Kubelet());
  ASSIGN_OR_RETURN(kubelet->runner_, PodRunner::make(access, runtime_endpoint, options.runner));
  if (options.resize) {
    ASSIGN_OR_RETURN(kubelet->judge_, open_judge(access, runtime_endpoint, options, disk));
  }
  if (options.healthz) {
    ASSIGN_OR_RETURN(kubelet->healthz_, Healthz::start(*options.healthz));
  }
  return kubelet;
}

Result<void> Kubelet::run(const std::stop_token& stop) {
  std::jthread judging;
  if (judge_) {
    judging = std::jthread([this](const std::stop_token& own) noexcept { judge_->run(own); });
  }
  const std::stop_callback both(stop, [&judging] { judging.request_stop(); });
  return runner_->run(stop);
}

std::optional<daemon::Address> Kubelet::healthz() const {
  return healthz_ ? std::optional(healthz_->address()) : std::nullopt;
}

}  // namespace elbowroom::lab
