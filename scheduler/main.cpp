// elbowroom-scheduler: makes room for Deferred resizes. Reading main() tells who owns what and in
// which order it goes.
#include <malloc.h>
#include <unistd.h>

#include <iostream>
#include <map>
#include <random>
#include <stop_token>
#include <string>
#include <thread>

#include "api/transport/kubeconfig.h"
#include "base/host_name.h"
#include "base/notify.h"
#include "base/text.h"
#include "daemon/config/command_line.h"
#include "daemon/config/reload.h"
#include "daemon/http/common_endpoints.h"
#include "daemon/http/http_server.h"
#include "daemon/log/log.h"
#include "daemon/metrics/metrics.h"
#include "daemon/metrics/reload_metrics.h"
#include "daemon/program/selftest.h"
#include "daemon/program/stop_signals.h"
#include "daemon/program/supervise.h"
#include "daemon/program/watchdog.h"
#include "scheduler/config.h"
#include "scheduler/log_reports.h"
#include "scheduler/metric_families.h"
#include "scheduler/reload.h"
#include "scheduler/scheduler_metrics.h"
#include "scheduler/wiring.h"

namespace {

using namespace elbowroom;

constexpr std::string_view kProgram = "elbowroom-scheduler";
constexpr int kUsage = 2;
constexpr int kFailure = 1;
constexpr int kBadConfiguration = 78;

int complain(int code, const std::string& message) {
  std::cerr << kProgram << ": " << sanitize(message) << "\n";
  return code;
}

// Unlike that of every other process, as client-go makes it: host name and a random UUID.
std::string identity() {
  std::random_device dice;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string uuid = "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx";  // version 4
  for (char& each : uuid) {
    if (each == 'x') each = kDigits[dice() % kDigits.size()];
    if (each == 'y') each = kDigits[8 + dice() % 4];
  }
  return host_name() + "_" + uuid;
}

daemon::Endpoints endpoints(scheduler::Scheduler& scheduler, const daemon::ReloadMetrics& config,
                            const daemon::Metrics& metrics, const daemon::Watchdog& watchdog) {
  daemon::Endpoints of = daemon::common_endpoints(watchdog, metrics, config);
  of.ready = [&scheduler] {
    const auto now = scheduler.check_up();
    if (!now) return std::vector<daemon::Check>{daemon::silent_reactor()};
    // A replica that waits for the lease is ready too.
    return std::vector<daemon::Check>{
        {"synced", now->synced, now->synced ? "" : "not everything was listed yet"},
        {"followed", now->lost.empty(), now->lost},
        {"lease", now->lease.empty(), now->lease},
        {"acting", true, now->idle_because.empty() ? "leads" : now->idle_because}};
  };
  of.explain = [&scheduler](const std::string& ns, const std::string& name) {
    const std::string pod = ns + "/" + name;
    return daemon::explained(scheduler.explain(pod), "no pod " + pod + " waits for room");
  };
  return of;
}

// What counts now, and whatever a reload swaps.
struct Running {
  daemon::Settings settings;
  api::Access access;
  scheduler::Scheduler& scheduler;
};

// All of the new configuration, or none of it.
Result<daemon::Taken> take_again(const scheduler::ConfigSource& source, Running& running) {
  ASSIGN_OR_RETURN(scheduler::Reload plan,
                   scheduler::plan_reload(source, running.settings, running.access));
  running.scheduler.use(plan.access);
  running.access = std::move(plan.access);
  running.settings = plan.taken.settings;
  return plan.taken;
}

// What the acts of the selftest are tried on.
daemon::Surroundings surroundings(const scheduler::SchedulerOptions& options,
                                  const daemon::Settings& settings, const std::string& config) {
  daemon::Surroundings at{.of = daemon::SandboxOf::Scheduler,
                          .config = config,
                          .kubeconfig = settings.text("kubeconfig")};
  // Behind a proxy nobody goes to the server by himself.
  if (options.access.proxy_url.empty()) {
    at.server_host = daemon::without_brackets(options.access.server.host);
    at.server_port = options.access.server.port;
  }
  return at;
}

int run(const scheduler::SchedulerOptions& options, const daemon::Settings& settings,
        const scheduler::ConfigSource& source) {
  if (!options.record.empty()) {
    // One that cannot even begin is a mistake; one that fails later only stops.
    const auto place = recording::check_place(options.record);
    if (!place) {
      return complain(kBadConfiguration,
                      "record: " + place.error().message + ": name another file");
    }
  }
  daemon::Log log(kProgram, daemon::log_format_from(settings.text("logFormat")),
                  daemon::log_level_from(settings.text("logLevel")));
  daemon::Metrics metrics(kProgram, scheduler::scheduler_families());
  scheduler::Figures figures(metrics);
  daemon::ReloadMetrics config(metrics, settings);
  config.resolve(scheduler::resolved());

  daemon::Watchdog watchdog(daemon::loop_patience());
  std::map<std::string, daemon::Progress*, std::less<>> marks;
  for (const char* loop : {"reactor", "api"}) marks[loop] = &watchdog.add(loop);

  const daemon::Gauge recording = metrics.gauge("elbowroom_recording");
  recording.set(options.record.empty() ? 0 : 1);
  scheduler::SchedulerReports reports = figures.reports();
  scheduler::LastTold last_told;
  scheduler::log_reports(reports, log, last_told);
  reports.recording_stopped = [&] { recording.set(0); };
  reports.alive = [&](std::string_view loop) { marks.find(loop)->second->mark(); };
  scheduler::Scheduler scheduler(options, std::move(reports));
  auto http = daemon::HttpServer::start(settings.address("listen"),
                                        endpoints(scheduler, config, metrics, watchdog));
  if (!http) return complain(kFailure, http.error().message);

  log.info("started in mode " + settings.text("mode") + ", listening on " +
           daemon::to_string((*http)->address()));
  std::jthread body([&](const std::stop_token& stop) { scheduler.run(stop); });
  notify_ready();
  Running running{settings, options.access, scheduler};
  daemon::supervise(
      watchdog, log,
      [&] { daemon::reload(log, config, [&] { return take_again(source, running); }); },
      [&](std::uint64_t lines) { figures.suppressed(lines); });
  notify_stopping();
  // The Lease goes back first: somebody waits for it.
  body.request_stop();
  body.join();
  http->reset();
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
  const daemon::Schema schema = scheduler::scheduler_schema();
  daemon::CommandLine line;
  if (const auto status = daemon::parse_command_line(
          argc, argv, kProgram, "Makes room for pods whose in-place resize is Deferred", schema,
          line)) {
    return *status;
  }
  bool is_usage = false;
  const Result<daemon::Settings> settings = daemon::settings_of(schema, line, is_usage);
  if (!settings) return complain(is_usage ? kUsage : kBadConfiguration, settings.error().message);
  if (line.check_config) {
    const auto checked = scheduler::check_config(*settings, api::api_environment());
    if (!checked) return complain(kBadConfiguration, checked.error().message);
    if (!daemon::print(checked->yaml)) return complain(kFailure, "standard output takes no more");
    return checked->note.empty() ? 0 : complain(0, checked->note);
  }
  const scheduler::ConfigSource source{
      {line.config_file, line.flags}, identity(), api::api_environment()};
  const auto options = scheduler::options_from(*settings, source.identity, source.environment);
  if (!options) return complain(kBadConfiguration, options.error().message);
  if (line.selftest) {
    return daemon::selftest(surroundings(*options, *settings, line.config_file), line.output);
  }
  return run(*options, *settings, source);
}
