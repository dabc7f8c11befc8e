#include "cli/lab_kubelet.h"

#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "api/kubeconfig.h"
#include "cli/lab_options.h"
#include "cli/verbs.h"
#include "daemon/stop_signals.h"
#include "lab/pod_runner.h"

namespace elbowroom::cli {
namespace {

struct KubeletOptions {
  std::string kubeconfig{};
  std::string node_name{};
  std::string runtime_endpoint{};
  std::string cpu = "4";
  std::string memory = "8Gi";
  std::int64_t pods = 110;
  std::string cgroup_root{};
  std::string cgroup_driver = "cgroupfs";
  bool resize = false;
};

Result<void> run(const KubeletOptions& asked) {
  RETURN_IF_ERROR(daemon::block_stop_signals());
  ASSIGN_OR_RETURN(const std::int64_t cpu, amount_option("--cpu", "cpu", asked.cpu));
  ASSIGN_OR_RETURN(const std::int64_t memory, amount_option("--memory", "memory", asked.memory));
  ASSIGN_OR_RETURN(api::Access access, api::user_access(asked.kubeconfig, api::api_environment()));
  ASSIGN_OR_RETURN(const auto runner,
                   lab::PodRunner::make(std::move(access), asked.runtime_endpoint,
                                        {.node_name = asked.node_name,
                                         .cpu = {cpu},
                                         .memory = {memory},
                                         .pods = asked.pods,
                                         .cgroup_root = asked.cgroup_root,
                                         .cgroup_driver = asked.cgroup_driver == "systemd"
                                                              ? cri::CgroupDriver::Systemd
                                                              : cri::CgroupDriver::Cgroupfs,
                                         .complain = say_trouble}));
  std::jthread body([&](const std::stop_token& stop) noexcept { runner->run(stop); });
  while (daemon::wait_for_stop_signal(std::chrono::seconds(10)) == daemon::StopSignal::None) {
  }
  return {};
}

}  // namespace

void add_lab_kubelet(CLI::App& lab) {
  auto asked = std::make_shared<KubeletOptions>();  // CLI11 fills it, the callback reads it
  CLI::App* verb = lab.add_subcommand(
      "kubelet", "a pod runner against any API server and CRI socket, until it is interrupted");
  verb->add_option("--kubeconfig", asked->kubeconfig, "how to reach the API server");
  verb->add_option("--node-name", asked->node_name, "the node to be")->required();
  verb->add_option("--runtime-endpoint", asked->runtime_endpoint, "unix:///run/x.sock")->required();
  verb->add_option("--cpu", asked->cpu, "allocatable cpu [4]");
  verb->add_option("--memory", asked->memory, "allocatable memory [8Gi]");
  verb->add_option("--pods", asked->pods, "most pods [110]")->check(CLI::Range(1, 10'000));
  verb->add_option("--cgroup-root", asked->cgroup_root,
                   "where to make the pods' cgroups [the runtime makes them]");
  verb->add_option("--cgroup-driver", asked->cgroup_driver, "cgroupfs or systemd [cgroupfs]")
      ->check(CLI::IsMember({"cgroupfs", "systemd"}));
  verb->add_flag("--resize", asked->resize, "judge resizes as a kubelet does");
  verb->callback([asked] {
    if (asked->resize) {
      complain(
          "lab kubelet: --resize: this build's pod runner judges no resizes; run elbowroomd "
          "--mode authority beside it");
      throw CLI::RuntimeError(kExitUsage);
    }
    if (const auto done = run(*asked); !done) {
      complain("lab kubelet: " + done.error().message);
      throw CLI::RuntimeError(kExitFailure);
    }
  });
}

}  // namespace elbowroom::cli
