// elbowroomd: one agent per node. Reading main() tells who owns what and in which order it goes.
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "agent/agent_metrics.h"
#include "agent/config.h"
#include "agent/kubelet_probe.h"
#include "agent/log_reports.h"
#include "agent/metric_families.h"
#include "agent/reload.h"
#include "agent/wiring.h"
#include "api/transport/kubeconfig.h"
#include "base/disk.h"
#include "base/host_name.h"
#include "base/notify.h"
#include "base/text.h"
#include "cri/client.h"
#include "daemon/config/command_line.h"
#include "daemon/config/config.h"
#include "daemon/config/reload.h"
#include "daemon/http/common_endpoints.h"
#include "daemon/http/http_server.h"
#include "daemon/log/log.h"
#include "daemon/metrics/metrics.h"
#include "daemon/metrics/reload_metrics.h"
#include "daemon/program/crash_record.h"
#include "daemon/program/selftest.h"
#include "daemon/program/start_backoff.h"
#include "daemon/program/stop_signals.h"
#include "daemon/program/supervise.h"
#include "daemon/program/watchdog.h"

namespace {

using namespace elbowroom;

constexpr std::string_view kProgram = "elbowroomd";
constexpr int kUsage = 2;
constexpr int kFailure = 1;
constexpr int kTryAgain = 75;
constexpr int kBadConfiguration = 78;

int complain(int code, const std::string& message) {
  std::cerr << kProgram << ": " << sanitize(message) << "\n";
  return code;
}

daemon::Endpoints endpoints(agent::Agent& agent, const daemon::ReloadMetrics& config,
                            const daemon::Metrics& metrics, const daemon::Watchdog& watchdog) {
  daemon::Endpoints of = daemon::common_endpoints(watchdog, metrics, config);
  of.ready = [&agent] {
    const auto snapshot = agent.check_up();
    if (!snapshot) return std::vector<daemon::Check>{daemon::silent_reactor()};
    std::vector<daemon::Check> checks;
    for (const agent::ReadyCheck& each : snapshot->checks) {
      checks.push_back({each.name, each.ok, each.why});
    }
    return checks;
  };
  of.explain = [&agent](const std::string& ns, const std::string& name) {
    const std::string pod = ns + "/" + name;
    return daemon::explained(agent.explain(pod), "no pod " + pod + " on this node");
  };
  return of;
}

// What counts now, and whatever a reload swaps.
struct Running {
  daemon::Settings settings;
  api::Access access;
  agent::Agent& agent;
};

// All of the new configuration, or none of it.
Result<daemon::Taken> take_again(const agent::ConfigSource& source, Running& running) {
  ASSIGN_OR_RETURN(agent::Reload plan,
                   agent::plan_reload(source, running.settings, running.access));
  running.agent.use(plan.access);
  running.access = std::move(plan.access);
  running.settings = plan.taken.settings;
  return plan.taken;
}

// /configz tells what the probe of the API server found, once it has.
void show_probed(agent::AgentReports& reports, daemon::ReloadMetrics& config,
                 const agent::AgentOptions& options) {
  std::optional<bool> shown = options.reactor.critical_preemption;
  config.resolve(agent::resolved(options, shown));
  reports.changed = [&, shown,
                     before = std::move(reports.changed)](const agent::Snapshot& now) mutable {
    before(now);
    if (now.critical_preemption == shown) return;
    shown = now.critical_preemption;
    config.resolve(agent::resolved(options, shown));
  };
}

// What the acts of the selftest are tried on.
daemon::Surroundings surroundings(const agent::AgentOptions& options,
                                  const daemon::Settings& settings, const std::string& config) {
  daemon::Surroundings at{
      .of = options.reactor.authority ? daemon::SandboxOf::Authority : daemon::SandboxOf::Companion,
      .config = config,
      .kubeconfig = settings.text("kubeconfig"),
      .state_folder = options.state_dir,
      .cgroup_root = options.runtime.cgroup_root};
  // Behind a proxy nobody goes to the server by himself.
  if (options.access.proxy_url.empty()) {
    at.server_host = daemon::without_brackets(options.access.server.host);
    at.server_port = options.access.server.port;
  }
  if (const auto path = cri::Client::socket_path(options.runtime.endpoint))
    at.runtime_socket = *path;
  return at;
}

// An agent that keeps crashing does no harm and can still be asked.
void heed_crashes(const daemon::CrashRecord& crashes, agent::AgentOptions& options,
                  daemon::Log& log) {
  if (!crashes.trouble().empty()) log.warn("crashes cannot be counted: " + crashes.trouble());
  if (!crashes.is_loop() || options.reactor.dry_run) return;  // a dry run does nothing anyway
  options.reactor.dry_run = true;
  options.safe_mode_was_told = !crashes.is_new_loop();
  options.safe_mode = "elbowroomd ended abnormally " + std::to_string(daemon::CrashRecord::kMost) +
                      " times within 10 minutes: it only observes now, nothing is written or "
                      "resized; journalctl -t elbowroomd has its last words; mend the cause, then "
                      "systemctl restart " +
                      (options.reactor.authority ? "elbowroomd-authority" : "elbowroomd");
  log.warn(options.safe_mode, {{"node", options.reactor.node_name}});
}

int run(agent::AgentOptions options, const daemon::Settings& settings,
        const agent::ConfigSource& source) {
  daemon::Log log(kProgram, daemon::log_format_from(settings.text("logFormat")),
                  daemon::log_level_from(settings.text("logLevel")));
  const RealDisk disk;
  daemon::CrashRecord crashes(daemon::runtime_directory(), daemon::since_boot(), disk);
  heed_crashes(crashes, options, log);
  if (!daemon::back_off(crashes.wait(), log)) {
    crashes.stopped();
    return 0;
  }
  daemon::Metrics metrics(kProgram, agent::agent_families());
  agent::Figures figures(metrics, options.reactor.authority);
  daemon::ReloadMetrics config(metrics, settings);

  const daemon::Gauge recording = metrics.gauge("elbowroom_recording");
  recording.set(options.record.empty() ? 0 : 1);

  daemon::Watchdog watchdog(daemon::loop_patience());
  std::map<std::string, daemon::Progress*, std::less<>> marks;
  marks["reactor"] = &watchdog.add("reactor");
  marks["api"] = &watchdog.add("api");
  if (options.reactor.authority) marks["runtime"] = &watchdog.add("runtime");

  agent::AgentReports reports = figures.reports();
  agent::LastTold last_told;
  agent::log_reports(reports, log, last_told);
  show_probed(reports, config, options);
  reports.recording_stopped = [&] { recording.set(0); };
  reports.alive = [&](std::string_view loop) { marks.find(loop)->second->mark(); };
  auto agent = agent::Agent::open(options, std::move(reports), disk);
  if (!agent) {
    const bool passes = agent.error().code == Code::Unavailable;
    return complain(passes ? kTryAgain : kBadConfiguration, agent.error().message);
  }
  auto http = daemon::HttpServer::start(settings.address("listen"),
                                        endpoints(**agent, config, metrics, watchdog));
  if (!http) return complain(kFailure, http.error().message);

  const std::string mode = options.reactor.authority ? "authority" : "companion";
  log.info("started in mode " + mode + ", listening on " + daemon::to_string((*http)->address()),
           {{"node", options.reactor.node_name}});
  std::jthread body([&](const std::stop_token& stop) { (*agent)->run(stop); });
  notify_ready();
  Running running{settings, options.access, **agent};
  daemon::supervise(
      watchdog, log,
      [&] { daemon::reload(log, config, [&] { return take_again(source, running); }); },
      [&](std::uint64_t lines) { figures.suppressed(lines); });
  notify_stopping();
  http->reset();  // while there is a reactor that answers what is being asked
  body.request_stop();
  body.join();
  crashes.stopped();
  return 0;
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): an exception here is a defect, and shall leave a core
int main(int argc, char** argv) {
  // First of all: a signal that comes while we start is kept until there is somebody to heed it.
  for (const auto take : {daemon::block_stop_signals, daemon::take_reload_signals}) {
    if (const auto taken = take(); !taken) return complain(kFailure, taken.error().message);
  }
  // Arenas per thread would cost megabytes; our threads hardly allocate at the same time.
  mallopt(M_ARENA_MAX, 2);

  const daemon::Schema schema = agent::agent_schema();
  daemon::CommandLine line;
  if (const auto status = daemon::parse_command_line(
          argc, argv, kProgram,
          "Judges, carries out and explains in-place resizes of this node's pods", schema, line)) {
    return *status;
  }
  bool is_usage = false;
  const Result<daemon::Settings> settings = daemon::settings_of(schema, line, is_usage);
  if (!settings) return complain(is_usage ? kUsage : kBadConfiguration, settings.error().message);

  const agent::ConfigSource source{
      {line.config_file, line.flags}, host_name(), api::api_environment()};
  if (line.check_config) {
    const auto checked = agent::check_config(*settings, source.host_name, source.environment);
    if (!checked) return complain(kBadConfiguration, checked.error().message);
    if (!daemon::print(checked->yaml)) return complain(kFailure, "standard output takes no more");
    return checked->note.empty() ? 0 : complain(0, checked->note);
  }
  const auto options = agent::options_from(*settings, source.host_name, source.environment);
  if (!options) return complain(kBadConfiguration, options.error().message);
  if (line.selftest) {
    return daemon::selftest(surroundings(*options, *settings, line.config_file), line.output);
  }
  if (options->kubelet_healthz) {
    if (const auto alone = agent::check_no_kubelet(*options->kubelet_healthz); !alone) {
      return complain(kBadConfiguration, alone.error().message);
    }
  }
  return run(*options, *settings, source);
}
