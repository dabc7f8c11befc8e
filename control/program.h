// A daemon beside the API server, from main() to its exit status. Everything that is the same for
// all of them is here; a Program says what is its own:
//
//   types Config (control/live_config.h), Daemon, Figures, LastTold;
//   constants kName; kAbout; kEndsFirst, whether its threads end before its endpoints do;
//   kNotExplained, why /explain knows nothing of a pod; where it explains pod groups too,
//   kGroupNotExplained, the same of a group; disruption budgets, kBudgetNotExplained; a program
//   without modes, kHasModes = false;
//   static functions self(), families(), figures(metrics, options), loops(options),
//   sandbox(options), check_machine(options), checks_of(status) for /readyz, log_fields(options);
//   a Program is made with (options, log) and has options(), may_begin(), open(reports),
//   resolve(reports, config), ended().
//
// Daemon has run(stop), use(access), explain(pod), page_part(asked), check_up(); Figures has
// reports() and suppressed(lines); log_reports(reports, log, last_told) is found by its arguments.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "api/transport/access.h"
#include "base/notify.h"
#include "control/daemon_page.h"
#include "control/live_config.h"
#include "daemon/config/reload.h"
#include "daemon/http/common_endpoints.h"
#include "daemon/http/http_server.h"
#include "daemon/log/log.h"
#include "daemon/metrics/metrics.h"
#include "daemon/metrics/reload_metrics.h"
#include "daemon/program/selftest.h"
#include "daemon/program/start.h"
#include "daemon/program/supervise.h"
#include "daemon/program/watchdog.h"

namespace elbowroom::control {

// What the acts of the selftest are tried on: `at` with what every daemon works with.
[[nodiscard]] daemon::Surroundings with_server(daemon::Surroundings at, const api::Access& access,
                                               const daemon::Start& start);

// Prints a configuration that was checked; the exit status.
[[nodiscard]] int tell_checked(std::string_view program, const Result<CheckedConfig>& checked);

// One run of a daemon: what it is put together of, in the order in which it is taken apart.
template <class Program>
class Run {
 public:
  using Options = typename Program::Config::Options;

  Run(Program& program, daemon::Log& log, const Options& options, const daemon::Start& start)
      : program_(program),
        log_(log),
        options_(options),
        settings_(start.settings),
        access_(options.access),
        metrics_(Program::kName, Program::families()),
        figures_(Program::figures(metrics_, options)),
        config_(metrics_, start.settings),
        recording_(metrics_.gauge("elbowroom_recording")) {
    recording_.set(options.record.empty() ? 0 : 1);
    for (const std::string& loop : Program::loops(options)) marks_[loop] = &watchdog_.add(loop);
  }

  // Until a signal ends it; the exit status.
  [[nodiscard]] int until_stopped(const ConfigSource& source) {
    auto opened = program_.open(reports());
    if (!opened) {
      const bool passes = opened.error().code == Code::Unavailable;
      return complain(passes ? daemon::kTryAgain : daemon::kBadConfiguration, opened.error());
    }
    daemon_ = *std::move(opened);
    auto http = daemon::HttpServer::start(settings_.address("listen"), endpoints());
    if (!http) return complain(daemon::kFailure, http.error());
    log_.write(daemon::LogLevel::Info,
               started() + ", listening on " + daemon::to_string((*http)->address()),
               Program::log_fields(options_));
    std::jthread body([this](const std::stop_token& stop) { daemon_->run(stop); });
    notify_ready();
    daemon::supervise(
        watchdog_, log_, [&] { daemon::reload(log_, config_, [&] { return take_again(source); }); },
        [this](std::uint64_t lines) { figures_.suppressed(lines); });
    notify_stopping();
    // Endpoints end first, because a reactor answers them as long as they run; threads that end
    // first give back a Lease that another replica waits for.
    if (!Program::kEndsFirst) http->reset();
    body.request_stop();
    body.join();
    http->reset();
    program_.ended();
    return 0;
  }

 private:
  [[nodiscard]] std::string started() const {
    if constexpr (requires { requires !Program::kHasModes; }) {
      return "started";
    } else {
      return "started in mode " + settings_.text("mode");
    }
  }

  static int complain(int status, const Error& error) {
    return daemon::complain(Program::kName, status, error.message);
  }

  auto reports() {
    auto reports = figures_.reports();
    log_reports(reports, log_, last_told_);
    reports.performed = [this, before = std::move(reports.performed)](const auto& effect) {
      before(effect);
      page_.note(lines_of(effect),
                 std::chrono::floor<policy::Time::duration>(std::chrono::system_clock::now()));
    };
    program_.resolve(reports, config_);
    reports.recording_stopped = [this] { recording_.set(0); };
    reports.alive = [this](std::string_view loop) { marks_.find(loop)->second->mark(); };
    return reports;
  }

  daemon::Endpoints endpoints() {
    daemon::Endpoints of = daemon::common_endpoints(watchdog_, metrics_, config_);
    of.ready = [this] {
      const auto now = daemon_->check_up();
      if (!now) return std::vector<daemon::Check>{daemon::silent_reactor()};
      return Program::checks_of(*now);
    };
    of.explain = [this](const std::string& ns, const std::string& name) {
      const std::string pod = ns + "/" + name;
      return daemon::explained(daemon_->explain(pod),
                               "no pod " + pod + std::string(Program::kNotExplained));
    };
    if constexpr (requires { Program::kGroupNotExplained; }) {
      of.explain_group = [this](const std::string& ns, const std::string& name) {
        const std::string group = ns + "/" + name;
        return daemon::explained(
            daemon_->explain_group(group),
            "no pod group " + group + std::string(Program::kGroupNotExplained));
      };
    }
    if constexpr (requires { Program::kBudgetNotExplained; }) {
      of.explain_budget = [this](const std::string& ns, const std::string& name) {
        const std::string budget = ns + "/" + name;
        return daemon::explained(
            daemon_->explain_budget(budget),
            "no disruption budget " + budget + std::string(Program::kBudgetNotExplained));
      };
    }
    of.ui = [this](const daemon::Request& request) { return page_.answer(request); };
    of.overview = [this] { return page_.overview(); };
    return of;
  }

  // All of the new configuration, or none of it.
  Result<daemon::Taken> take_again(const ConfigSource& source) {
    ASSIGN_OR_RETURN(Reload plan,
                     plan_reload<typename Program::Config>(source, settings_, access_));
    daemon_->use(plan.access);
    access_ = std::move(plan.access);
    settings_ = plan.taken.settings;
    return plan.taken;
  }

  Program& program_;
  daemon::Log& log_;
  const Options& options_;
  daemon::Settings settings_;  // what counts now; a reload swaps it, and the access
  api::Access access_;
  daemon::Metrics metrics_;
  typename Program::Figures figures_;
  daemon::ReloadMetrics config_;
  daemon::Gauge recording_;
  daemon::Watchdog watchdog_{daemon::loop_patience()};
  std::map<std::string, daemon::Progress*, std::less<>> marks_{};
  typename Program::LastTold last_told_{};
  DaemonPage page_{std::string(Program::kName),
                   [this](page::PageAsked asked) { return daemon_->page_part(std::move(asked)); },
                   [this](const std::string& pod) { return daemon_->explain(pod); }};
  std::unique_ptr<typename Program::Daemon> daemon_{};
};

// The body of main(). An exception that reaches it is a defect, and leaves a core.
template <class Program>
[[nodiscard]] int run_program(int argc, char** argv) {
  using Config = typename Program::Config;
  const auto start = daemon::start(argc, argv, {Program::kName, Program::kAbout}, Config::schema);
  if (!start) return start.error();
  const daemon::Settings& settings = start->settings;
  const ConfigSource source{
      {start->line.config_file, start->line.flags}, Program::self(), api::api_environment()};
  if (start->line.check_config) {
    return tell_checked(Program::kName,
                        check_config<Config>(settings, source.self, source.environment));
  }
  const auto options = options_from<Config>(settings, source.self, source.environment);
  if (!options) {
    return daemon::complain(Program::kName, daemon::kBadConfiguration, options.error().message);
  }
  if (start->line.selftest) {
    return daemon::selftest(with_server(Program::sandbox(*options), options->access, *start),
                            start->line.output);
  }
  if (const auto alone = Program::check_machine(*options); !alone) {
    return daemon::complain(Program::kName, daemon::kBadConfiguration, alone.error().message);
  }
  daemon::Log log(Program::kName, daemon::log_format_from(settings.text("logFormat")),
                  daemon::log_level_from(settings.text("logLevel")));
  Program program(*options, log);
  if (!program.may_begin()) {
    program.ended();
    return 0;
  }
  return Run<Program>(program, log, program.options(), *start).until_stopped(source);
}

}  // namespace elbowroom::control
