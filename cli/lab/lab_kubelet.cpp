#include "cli/lab/lab_kubelet.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "api/transport/kubeconfig.h"
#include "base/disk.h"
#include "cli/lab/lab_options.h"
#include "cli/lab/temporary_directory.h"
#include "cli/verbs.h"
#include "daemon/http/address.h"
#include "daemon/program/stop_signals.h"
#include "lab/node/kubelet.h"

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
  std::string state_dir{};
  std::string healthz{};
};

constexpr std::chrono::milliseconds kLook{200};  // how often to check whether the runner has ended

[[noreturn]] void end_with(int status, const std::string& message) {
  complain("lab kubelet: " + message);
  throw CLI::RuntimeError(status);
}

// Errors here are errors of the command line.
int exit_status_of_kubelet(const Error& error) {
  switch (error.code) {
    case Code::Invalid:
      return kExitUsage;
    case Code::Unavailable:
      return kExitUnreachable;
    case Code::Denied:
      return kExitNotPermitted;
    default:
      return kExitFailure;
  }
}

// The options from the command line, except the state folder. Invalid, naming the option.
Result<lab::KubeletOptions> options_of(const KubeletOptions& asked) {
  if (!asked.runtime_endpoint.starts_with("unix://")) {
    return failure(Code::Invalid, "--runtime-endpoint: \"" + asked.runtime_endpoint +
                                      "\" is no unix socket; write unix:///run/NAME.sock");
  }
  ASSIGN_OR_RETURN(const std::int64_t cpu, amount_option("--cpu", "cpu", asked.cpu));
  ASSIGN_OR_RETURN(const std::int64_t memory, amount_option("--memory", "memory", asked.memory));
  lab::KubeletOptions options{
      .runner = {.node_name = asked.node_name,
                 .cpu = {cpu},
                 .memory = {memory},
                 .pods = asked.pods,
                 .cgroup_root = asked.cgroup_root,
                 .cgroup_driver = asked.cgroup_driver == "systemd" ? cri::CgroupDriver::Systemd
                                                                   : cri::CgroupDriver::Cgroupfs,
                 .complain = print_error_line},
      .resize = asked.resize};
  if (!asked.healthz.empty()) {
    auto healthz = daemon::parse_address(asked.healthz);
    if (!healthz) return std::unexpected(healthz.error().with("--healthz"));
    options.healthz = *std::move(healthz);
  }
  return options;
}

// Runs until a signal arrives, or the runner fails.
Result<void> run(const KubeletOptions& asked, lab::KubeletOptions options,
                 const api::Access& access) {
  RETURN_IF_ERROR(daemon::block_stop_signals());
  std::unique_ptr<TemporaryDirectory> own;
  if (asked.resize && asked.state_dir.empty()) {
    ASSIGN_OR_RETURN(own, TemporaryDirectory::make("--state-dir"));
  }
  options.state_dir = own ? own->path() : std::filesystem::path(asked.state_dir);
  const RealDisk disk;
  ASSIGN_OR_RETURN(const auto kubelet,
                   lab::Kubelet::make(access, asked.runtime_endpoint, options, disk));
  Result<void> outcome;
  std::atomic<bool> has_ended = false;
  {
    const std::jthread body([&](const std::stop_token& stop) noexcept {
      outcome = kubelet->run(stop);
      has_ended = true;
    });
    while (!has_ended && daemon::wait_for_stop_signal(kLook) == daemon::StopSignal::None) {
    }
  }
  return outcome;
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
  verb->add_option("--state-dir", asked->state_dir,
                   "where --resize keeps allocations [a folder that goes at the end]");
  verb->add_option("--healthz", asked->healthz,
                   "serve /healthz at ADDR:PORT, as a kubelet does [not served]");
  verb->callback([asked] {
    auto options = options_of(*asked);
    if (!options) end_with(kExitUsage, options.error().message);
    const auto access = api::user_access(asked->kubeconfig, api::api_environment());
    if (!access) end_with(kExitConfiguration, access.error().message);
    if (const auto done = run(*asked, *std::move(options), *access); !done) {
      end_with(exit_status_of_kubelet(done.error()), done.error().message);
    }
  });
}

}  // namespace elbowroom::cli
