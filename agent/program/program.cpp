#include "agent/program/program.h"

#include <utility>

#include "agent/worker/kubelet_probe.h"
#include "base/host_name.h"
#include "cri/client.h"
#include "daemon/program/start_backoff.h"

namespace elbowroom::agent {

std::string Program::self() { return host_name(); }

std::vector<std::string> Program::loops(const AgentOptions& options) {
  std::vector<std::string> loops = {"reactor", "api"};
  if (options.reactor.authority) loops.emplace_back("runtime");
  return loops;
}

daemon::Surroundings Program::sandbox(const AgentOptions& options) {
  daemon::Surroundings at{
      .of = options.reactor.authority ? daemon::SandboxOf::Authority : daemon::SandboxOf::Companion,
      .state_folder = options.state_dir,
      .cgroup_root = options.runtime.cgroup_root};
  if (const auto path = cri::Client::socket_path(options.runtime.endpoint))
    at.runtime_socket = *path;
  return at;
}

Result<void> Program::check_machine(const AgentOptions& options) {
  return options.kubelet_healthz ? check_no_kubelet(*options.kubelet_healthz) : Result<void>{};
}

Program::Program(AgentOptions options, daemon::Log& log)
    : options_(std::move(options)),
      log_(log),
      crashes_(daemon::runtime_directory(), daemon::since_boot(), disk_) {
  if (!crashes_.trouble().empty()) log.warn("crashes cannot be counted: " + crashes_.trouble());
  // A dry run does nothing anyway.
  if (!crashes_.is_loop() || options_.reactor.dry_run) return;
  options_.reactor.dry_run = true;
  options_.safe_mode_was_told = !crashes_.is_new_loop();
  options_.safe_mode = "elbowroomd ended abnormally " + std::to_string(daemon::CrashRecord::kMost) +
                       " times within 10 minutes: it only observes now, nothing is written or "
                       "resized; journalctl -t elbowroomd has its last words; mend the cause, then "
                       "systemctl restart " +
                       (options_.reactor.authority ? "elbowroomd-authority" : "elbowroomd");
  log.warn(options_.safe_mode, {{"node", options_.reactor.node_name}});
}

bool Program::may_begin() { return daemon::back_off(crashes_.wait(), log_); }

Result<std::unique_ptr<Agent>> Program::open(AgentReports reports) const {
  return Agent::open(options_, std::move(reports), disk_);
}

void Program::resolve(AgentReports& reports, daemon::ReloadMetrics& config) const {
  std::optional<bool> shown = options_.reactor.critical_preemption;
  config.resolve(resolved(options_, shown));
  reports.changed = [&config, this, shown,
                     before = std::move(reports.changed)](const Snapshot& now) mutable {
    before(now);
    if (now.critical_preemption == shown) return;
    shown = now.critical_preemption;
    config.resolve(resolved(options_, shown));
  };
}

}  // namespace elbowroom::agent
