#include "scheduler/log_reports.h"

#include <utility>
#include <vector>

#include "daemon/log/log_entry.h"

namespace elbowroom::scheduler {
namespace {

std::vector<daemon::Check> checks_of(const std::string& lost, const std::string& lease) {
  return {{"followed", lost.empty(), lost}, {"lease", lease.empty(), lease}};
}

void log_status(daemon::Log& log, LastTold& last, const SchedulerStatus& now) {
  const std::string& lease = now.lease.empty() ? last.lease.why() : now.lease;
  const auto news =
      last.health.take(checks_of(now.lost, lease), daemon::ReadinessLog::Clock::now());
  daemon::write(log, daemon::lines_of(news));
  // What is lost was told.
  if (!now.lost.empty() || now.idle_because == last.idle) return;
  last.idle = now.idle_because;
  if (last.idle.empty()) {
    log.info("leading: makes room");
  } else {
    log.info("making room for nobody", {{"reason", last.idle}});
  }
}

}  // namespace

void log_reports(SchedulerReports& reports, daemon::Log& log, LastTold& last) {
  // A start lacks nothing yet: whatever it cannot have is a loss.
  static_cast<void>(last.health.take(checks_of("", ""), {}));
  reports.measured = [&, before = std::move(reports.measured)](const SchedulerStatus& now) {
    before(now);
    log_status(log, last, now);
  };
  reports.followed = [&, before = std::move(reports.followed)](const ApiRound& now) {
    before(now);
    daemon::write(log, lines_of(last.round, now));
    last.round = now;
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
  reports.noticed = [&](const std::string& what) {
    log.warn("a pod is larger than what is kept of it", {{"err", what}});
  };
  reports.trouble = [&](const std::string& what) { log.error("trouble", {{"err", what}}); };
}

}  // namespace elbowroom::scheduler
