// Sends what a daemon reports of itself to its log too. It wraps the existing reports, which still
// receive everything.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "control/api_round.h"
#include "control/log_lines.h"
#include "control/reports.h"
#include "control/unreadable_log.h"
#include "daemon/http/endpoints.h"
#include "daemon/log/log.h"
#include "daemon/log/log_entry.h"
#include "daemon/log/readiness_log.h"

namespace elbowroom::control {

// What was reported last; `round` and `unreadable` are of the API's thread, the others of the
// reactor's.
template <class Done>
struct LastTold {
  std::string_view leads = "leading";      // what the log says of a replica that leads
  std::string_view idles = "not leading";  // and of one that does not
  daemon::ReadinessLog health{};
  LeaseError<Done> lease{};
  std::string idle{"it has just started"};
  ApiRound round{};
  UnreadableLog unreadable{};
};

// What keeps a replica from leading: collections that are not followed, and the Lease.
[[nodiscard]] std::vector<daemon::Check> leading_checks(const std::string& lost,
                                                        const std::string& lease);

// A pod that is larger than what is kept of it, and other trouble.
template <class Reports>
void log_trouble(Reports& reports, daemon::Log& log) {
  reports.noticed = [&log](const std::string& what) {
    log.warn("a pod is larger than what is kept of it", {{"err", what}});
  };
  reports.trouble = [&log](const std::string& what) { log.error("trouble", {{"err", what}}); };
}

// The watches that each round began; requires that `followed` is set.
template <class Reports, class Round>
void log_rounds(Reports& reports, daemon::Log& log, Round& last) {
  reports.followed = [&log, &last, before = std::move(reports.followed)](const Round& now) {
    before(now);
    daemon::write(log, lines_of(last, now));
    last = now;
  };
}

// A Status has `lost`, `lease` and `idle_because`.
template <class Done, class Status>
void log_status(daemon::Log& log, LastTold<Done>& last, const Status& now) {
  const std::string& lease = now.lease.empty() ? last.lease.why() : now.lease;
  const auto news =
      last.health.take(leading_checks(now.lost, lease), daemon::ReadinessLog::Clock::now());
  daemon::write(log, daemon::lines_of(news));
  // The loss was reported.
  if (!now.lost.empty() || now.idle_because == last.idle) return;
  last.idle = now.idle_because;
  if (last.idle.empty()) {
    log.info(last.leads);
  } else {
    log.info(last.idles, {{"reason", last.idle}});
  }
}

// Requires that `measured` and `followed` are set, and lines_of() for the daemon's Effect and
// Observation. `log` and `last` outlive the daemon.
template <class Observation, class Effect, class Status, class Done>
void log_reports(Reports<Observation, Effect, Status>& reports, daemon::Log& log,
                 LastTold<Done>& last) {
  // A start lacks nothing yet: whatever it cannot have is a loss.
  static_cast<void>(last.health.take(leading_checks("", ""), {}));
  reports.measured = [&, before = std::move(reports.measured)](const Status& now) {
    before(now);
    log_status(log, last, now);
  };
  log_rounds(reports, log, last.round);
  reports.followed = [&, before = std::move(reports.followed)](const ApiRound& now) {
    before(now);
    daemon::write(log, last.unreadable.advance(UnreadableLog::Clock::now()));
  };
  reports.performed = [&](const Effect& effect) {
    last.lease.performed(effect);
    daemon::write(log, lines_of(effect));
  };
  reports.observed = [&](const Observation& seen) {
    last.lease.seen(seen);
    daemon::write(log, lines_of(seen));
  };
  reports.unreadable = [&](const Unreadable& odd) {
    daemon::write(log, last.unreadable.take(odd, UnreadableLog::Clock::now()));
  };
  log_trouble(reports, log);
}

}  // namespace elbowroom::control
