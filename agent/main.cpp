// elbowroomd: one agent per node. Reading main() tells who owns what and in which order it goes.
#include <malloc.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "agent/config.h"
#include "agent/figures.h"
#include "agent/kubelet_look.h"
#include "agent/log_reports.h"
#include "agent/metric_families.h"
#include "agent/reload.h"
#include "agent/wiring.h"
#include "api/kubeconfig.h"
#include "base/disk.h"
#include "base/notify.h"
#include "base/text.h"
#include "daemon/command_line.h"
#include "daemon/config.h"
#include "daemon/http.h"
#include "daemon/log.h"
#include "daemon/metrics.h"
#include "daemon/reload_figures.h"
#include "daemon/stop_signals.h"
#include "daemon/watchdog.h"

namespace {

using namespace elbowroom;

constexpr std::string_view kProgram = "elbowroomd";
constexpr int kUsage = 2;
constexpr int kFailure = 1;
constexpr int kTryAgain = 75;
constexpr int kBadConfiguration = 78;
constexpr std::chrono::seconds kDefaultPatience{15};

int complain(int code, const std::string& message) {
  std::cerr << kProgram << ": " << sanitize(message) << "\n";
  return code;
}

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

daemon::Endpoints endpoints(agent::Agent& agent, const daemon::ReloadFigures& config,
                            const daemon::Metrics& metrics, const daemon::Watchdog& watchdog) {
  daemon::Endpoints of;
  of.live = [&watchdog] {
    std::vector<daemon::Check> checks;
    const auto hung = watchdog.hung();
    checks.push_back({"loops", hung.empty(), daemon::to_string(hung)});
    return checks;
  };
  of.ready = [&agent] {
    const auto snapshot = agent.check_up();
    if (!snapshot) {
      return std::vector<daemon::Check>{{"reactor", false, "it did not answer within 2 s"}};
    }
    std::vector<daemon::Check> checks;
    for (const agent::ReadyCheck& each : snapshot->checks) {
      checks.push_back({each.name, each.ok, each.why});
    }
    return checks;
  };
  of.metrics = [&metrics] {
    return daemon::Reply{.type = std::string(daemon::Metrics::kContentType),
                         .body = metrics.text()};
  };
  of.configz = [&config] {
    return daemon::Reply{.type = "application/yaml", .body = config.text()};
  };
  of.explain = [&agent](const std::string& ns, const std::string& name) {
    const auto answer = agent.explain(ns + "/" + name);
    if (!answer)
      return daemon::Reply{.status = 503, .body = "the reactor did not answer in time\n"};
    if (answer->empty()) {
      return daemon::Reply{.status = 404,
                           .body = "no pod " + sanitize(ns + "/" + name) + " on this node\n"};
    }
    return daemon::Reply{.type = "application/json", .body = *answer};
  };
  return of;
}

// What counts now, and whatever a reload swaps.
struct Running {
  daemon::Settings settings;
  api::Access access;
  daemon::Log& log;
  daemon::ReloadFigures& config;
  agent::Figures& figures;
  agent::Agent& agent;
};

// All of the new configuration, or none of it.
void reload(const agent::ConfigSource& source, Running& running) {
  notify_reloading();
  auto plan = agent::plan_reload(source, running.settings, running.access);
  if (plan) {
    running.log.set_level(daemon::log_level_from(plan->settings.text("logLevel")));
    running.agent.use(plan->access);
    running.settings = std::move(plan->settings);
    running.access = std::move(plan->access);
    running.config.taken(running.settings);
    std::string changed;
    for (const std::string& key : plan->changed) changed += (changed.empty() ? "" : ", ") + key;
    running.log.info("configuration reloaded: " + (changed.empty() ? "nothing changed" : changed));
  } else {
    running.config.refused();
    running.log.error("configuration not reloaded: the old one stays",
                      {{"err", plan.error().message}});
  }
  notify_ready();
}

// Until a signal to stop: feeds systemd's watchdog while every loop turns, and reloads.
void watch_over(const daemon::Watchdog& watchdog, const agent::ConfigSource& source,
                Running& running) {
  daemon::Log& log = running.log;
  const auto interval = watchdog_interval();
  const std::chrono::milliseconds turn =
      interval ? std::chrono::duration_cast<std::chrono::milliseconds>(*interval) / 3
               : std::chrono::milliseconds(1000);
  std::string hung_before;
  for (;;) {
    const daemon::StopSignal signal = daemon::wait_for_stop_signal(turn);
    if (signal == daemon::StopSignal::Reload) reload(source, running);
    if (signal == daemon::StopSignal::Interrupt || signal == daemon::StopSignal::Terminate) {
      log.info("stopping", {{"reason", daemon::to_string(signal)}});
      return;
    }
    const std::string hung = daemon::to_string(watchdog.hung());
    if (hung.empty()) notify_alive();
    if (!hung.empty() && hung != hung_before) log.error("a loop hangs", {{"err", hung}});
    hung_before = hung;
    log.flush();
    running.figures.suppressed(log.suppressed());
  }
}

int run(const agent::AgentOptions& options, const daemon::Settings& settings,
        const agent::ConfigSource& source) {
  daemon::Log log(kProgram, daemon::log_format_from(settings.text("logFormat")),
                  daemon::log_level_from(settings.text("logLevel")));
  daemon::Metrics metrics(kProgram, agent::agent_families());
  agent::Figures figures(metrics, options.reactor.authority);
  daemon::ReloadFigures config(metrics, settings);

  const daemon::Gauge recording = metrics.gauge("elbowroom_recording");
  recording.set(options.record.empty() ? 0 : 1);

  const auto interval = watchdog_interval();
  daemon::Watchdog watchdog(
      interval ? std::chrono::duration_cast<std::chrono::milliseconds>(*interval) / 2
               : std::chrono::milliseconds(kDefaultPatience));
  std::map<std::string, daemon::Progress*, std::less<>> marks;
  marks["reactor"] = &watchdog.add("reactor");
  marks["api"] = &watchdog.add("api");
  if (options.reactor.authority) marks["runtime"] = &watchdog.add("runtime");

  const RealDisk disk;
  agent::AgentReports reports = figures.reports();
  agent::LastTold last_told;
  agent::log_reports(reports, log, last_told);
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
  Running running{settings, options.access, log, config, figures, **agent};
  watch_over(watchdog, source, running);
  notify_stopping();
  http->reset();  // while there is a reactor that answers what is being asked
  body.request_stop();
  body.join();
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

  const agent::ConfigSource source{line.config_file, line.flags, host_name(),
                                   api::api_environment()};
  if (line.check_config) {
    const auto checked = agent::check_config(*settings, source.host_name, source.environment);
    if (!checked) return complain(kBadConfiguration, checked.error().message);
    std::cout << checked->yaml;
    return checked->note.empty() ? 0 : complain(0, checked->note);
  }
  const auto options = agent::options_from(*settings, source.host_name, source.environment);
  if (!options) return complain(kBadConfiguration, options.error().message);
  if (options->kubelet_healthz) {
    if (const auto alone = agent::check_no_kubelet(*options->kubelet_healthz); !alone) {
      return complain(kBadConfiguration, alone.error().message);
    }
  }
  return run(*options, *settings, source);
}
