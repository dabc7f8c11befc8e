#include "agent/program/log_reports.h"

#include <string>
#include <utility>
#include <vector>

#include "agent/program/log_lines.h"
#include "control/log_reports.h"
#include "daemon/log/log_entry.h"

namespace elbowroom::agent {

std::vector<daemon::Check> checks_of(const Snapshot& now) {
  std::vector<daemon::Check> checks;
  for (const ReadyCheck& each : now.checks) checks.push_back({each.name, each.ok, each.why});
  return checks;
}

void log_reports(AgentReports& reports, daemon::Log& log, LastTold& last) {
  reports.changed = [&, before = std::move(reports.changed)](const Snapshot& now) {
    before(now);
    const auto news = last.health.take(checks_of(now), daemon::ReadinessLog::Clock::now());
    daemon::write(log, daemon::lines_of(news));
    daemon::write(log, lines_of(now));
  };
  control::log_rounds(reports, log, last.round);
  reports.performed = [&](const Effect& effect) { daemon::write(log, lines_of(effect)); };
  reports.observed = [&](const Observation& seen) { daemon::write(log, lines_of(seen)); };
  control::log_trouble(reports, log);
}

}  // namespace elbowroom::agent
