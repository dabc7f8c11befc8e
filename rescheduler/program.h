// What elbowroom-rescheduler has of its own between main() and its threads;
// control/program_parts.h and control/program.h have the rest.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "control/program_parts.h"
#include "rescheduler/config.h"
#include "rescheduler/rescheduler_metrics.h"
#include "rescheduler/webhook/webhook_daemon.h"
#include "rescheduler/wiring.h"

namespace elbowroom::rescheduler {

class Program : public control::ProgramParts<Parts, Config> {
 public:
  using Figures = rescheduler::Figures;
  using LastTold = rescheduler::LastTold;

  static constexpr std::string_view kAbout =
      "Keeps the status of disruption budgets, and moves pods to better places within them";
  static constexpr std::string_view kNotExplained = " is known that has not finished";
  static constexpr std::string_view kBudgetNotExplained = " is known";
  static constexpr bool kHasModes = false;

  using Daemon = WebhookDaemon;

  Program(ReschedulerOptions options, daemon::Log& log)
      : ProgramParts(std::move(options), log), log_(log) {}

  // Also fails where the webhook cannot listen.
  [[nodiscard]] Result<std::unique_ptr<Daemon>> open(ReschedulerReports reports) const {
    RETURN_IF_ERROR(recording::check_record(options().record));
    ASSIGN_OR_RETURN(auto made, WebhookDaemon::open(options(), std::move(reports)));
    if (const daemon::Address* at = made->webhook_address()) {
      log_.write(daemon::LogLevel::Info,
                 "reviews of evictions are answered on " + daemon::to_string(*at), {});
    }
    return made;
  }

  [[nodiscard]] static daemon::MetricFamilies families() { return rescheduler_families(); }
  [[nodiscard]] static Figures figures(const daemon::Metrics& metrics,
                                       const ReschedulerOptions& /*options*/) {
    return Figures(metrics);
  }
  [[nodiscard]] static std::vector<daemon::Check> checks_of(const ReschedulerStatus& now) {
    std::vector<daemon::Check> checks = ProgramParts::checks_of(now);
    checks.push_back({"writes", now.writes.empty(), now.writes});
    if (now.has_webhook) {
      checks.push_back(webhook_check(now.webhook));
    }
    checks.push_back({"moves", now.unseen.empty(), now.unseen});
    checks.push_back({"moves-configuration", now.settings.empty(), now.settings});
    checks.push_back({"moves-rests", now.rests.empty(), now.rests});
    return checks;
  }

  [[nodiscard]] static std::vector<std::string> loops(const ReschedulerOptions& options) {
    std::vector<std::string> all = ProgramParts::loops(options);
    if (options.webhook) all.emplace_back("webhook");
    return all;
  }

 private:
  // Twice as long as the thread ever waits for clients, and more.
  static constexpr std::chrono::milliseconds kLongestTurn{3000};

  [[nodiscard]] static daemon::Check webhook_check(const daemon::HttpsServer::Health& now) {
    const bool turns = now.silent_for <= kLongestTurn;
    const std::string last = "its thread last turned " + std::to_string(now.silent_for.count()) +
                             " ms ago: no review is answered";
    return {"webhook", now.is_serving && turns, turns ? now.trouble : last};
  }

  daemon::Log& log_;
};

}  // namespace elbowroom::rescheduler
