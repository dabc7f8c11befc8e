// elbowroom-scheduler: makes room for Deferred resizes. Reading main() tells who owns what and in
// which order it goes.
#include <malloc.h>
#include <unistd.h>

#include <array>
#include <iostream>
#include <map>
#include <random>
#include <stop_token>
#include <string>
#include <thread>

#include "api/kubeconfig.h"
#include "base/notify.h"
#include "base/text.h"
#include "daemon/command_line.h"
#include "daemon/http.h"
#include "daemon/log.h"
#include "daemon/metrics.h"
#include "daemon/reload_figures.h"
#include "daemon/stop_signals.h"
#include "daemon/watchdog.h"
#include "scheduler/config.h"
#include "scheduler/figures.h"
#include "scheduler/log_reports.h"
#include "scheduler/metric_families.h"
#include "scheduler/wiring.h"

namespace {

using namespace elbowroom;

constexpr std::string_view kProgram = "elbowroom-scheduler";
constexpr int kUsage = 2;
constexpr int kFailure = 1;
constexpr int kBadConfiguration = 78;
constexpr std::chrono::seconds kDefaultPatience{15};

int complain(int code, const std::string& message) {
  std::cerr << kProgram << ": " << sanitize(message) << "\n";
  return code;
}

// Unlike that of every other process, as client-go makes it: host name and a random UUID.
std::string identity() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) name = {"localhost"};
  std::random_device dice;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string uuid = "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx";  // version 4
  for (char& each : uuid) {
    if (each == 'x') each = kDigits[dice() % kDigits.size()];
    if (each == 'y') each = kDigits[8 + dice() % 4];
  }
  return std::string(name.data()) + "_" + uuid;
}

daemon::Endpoints endpoints(scheduler::Scheduler& scheduler, const daemon::ReloadFigures& config,
                            const daemon::Metrics& metrics, const daemon::Watchdog& watchdog) {
  daemon::Endpoints of;
  of.live = [&watchdog] {
    const auto hung = watchdog.hung();
    return std::vector<daemon::Check>{{"loops", hung.empty(), daemon::to_string(hung)}};
  };
  of.ready = [&scheduler] {
    const auto now = scheduler.check_up();
    if (!now) {
      return std::vector<daemon::Check>{{"reactor", false, "it did not answer within 2 s"}};
    }
    // A replica that waits for the lease is ready too.
    return std::vector<daemon::Check>{
        {"synced", now->synced, now->synced ? "" : "not everything was listed yet"},
        {"followed", now->lost.empty(), now->lost},
        {"acting", true, now->idle_because.empty() ? "leads" : now->idle_because}};
  };
  of.metrics = [&metrics] {
    return daemon::Reply{.type = std::string(daemon::Metrics::kContentType),
                         .body = metrics.text()};
  };
  of.configz = [&config] {
    return daemon::Reply{.type = "application/yaml", .body = config.text()};
  };
  of.explain = [&scheduler](const std::string& ns, const std::string& name) {
    const auto answer = scheduler.explain(ns + "/" + name);
    if (!answer) {
      return daemon::Reply{.status = 503, .body = "the reactor did not answer in time\n"};
    }
    if (answer->empty()) {
      return daemon::Reply{.status = 404,
                           .body = "no pod " + sanitize(ns + "/" + name) + " waits for room\n"};
    }
    return daemon::Reply{.type = "application/json", .body = *answer};
  };
  return of;
}

// Until a signal to stop: feeds systemd's watchdog while every loop turns.
void watch_over(const daemon::Watchdog& watchdog, daemon::Log& log, scheduler::Figures& figures) {
  const auto interval = watchdog_interval();
  const std::chrono::milliseconds turn =
      interval ? std::chrono::duration_cast<std::chrono::milliseconds>(*interval) / 3
               : std::chrono::milliseconds(1000);
  std::string hung_before;
  for (;;) {
    const daemon::StopSignal signal = daemon::wait_for_stop_signal(turn);
    if (signal != daemon::StopSignal::None) {
      log.info("stopping", {{"reason", daemon::to_string(signal)}});
      return;
    }
    const std::string hung = daemon::to_string(watchdog.hung());
    if (hung.empty()) notify_alive();
    if (!hung.empty() && hung != hung_before) log.error("a loop hangs", {{"err", hung}});
    hung_before = hung;
    log.flush();
    figures.suppressed(log.suppressed());
  }
}

int run(const scheduler::SchedulerOptions& options, const daemon::Settings& settings) {
  daemon::Log log(kProgram, daemon::log_format_from(settings.text("logFormat")),
                  daemon::log_level_from(settings.text("logLevel")));
  daemon::Metrics metrics(kProgram, scheduler::scheduler_families());
  scheduler::Figures figures(metrics);
  const daemon::ReloadFigures config(metrics, settings);

  const auto interval = watchdog_interval();
  daemon::Watchdog watchdog(
      interval ? std::chrono::duration_cast<std::chrono::milliseconds>(*interval) / 2
               : std::chrono::milliseconds(kDefaultPatience));
  std::map<std::string, daemon::Progress*, std::less<>> marks;
  for (const char* loop : {"reactor", "api"}) marks[loop] = &watchdog.add(loop);

  scheduler::SchedulerReports reports = figures.reports();
  scheduler::LastTold last_told;
  scheduler::log_reports(reports, log, last_told);
  reports.alive = [&](std::string_view loop) { marks.find(loop)->second->mark(); };
  scheduler::Scheduler scheduler(options, std::move(reports));
  auto http = daemon::HttpServer::start(settings.address("listen"),
                                        endpoints(scheduler, config, metrics, watchdog));
  if (!http) return complain(kFailure, http.error().message);

  log.info("started in mode " + settings.text("mode") + ", listening on " +
           daemon::to_string((*http)->address()));
  std::jthread body([&](const std::stop_token& stop) { scheduler.run(stop); });
  notify_ready();
  watch_over(watchdog, log, figures);
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
  // Arenas per thread would cost megabytes; our threads hardly allocate at the same time.
  mallopt(M_ARENA_MAX, 2);
  if (const auto taken = daemon::block_stop_signals(); !taken) {
    return complain(kFailure, taken.error().message);
  }
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
    std::cout << checked->yaml;
    return checked->note.empty() ? 0 : complain(0, checked->note);
  }
  const auto options = scheduler::options_from(*settings, identity(), api::api_environment());
  if (!options) return complain(kBadConfiguration, options.error().message);
  return run(*options, *settings);
}
