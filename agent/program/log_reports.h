// Sends what the agent reports of itself to its log too. It wraps the reports that are there, so
// whoever heard them before still does.
#pragma once

#include <vector>

#include "agent/program/wiring.h"
#include "agent/status.h"
#include "agent/worker/api_worker.h"
#include "daemon/http/endpoints.h"
#include "daemon/log/log.h"
#include "daemon/log/readiness_log.h"

namespace elbowroom::agent {

// What was told last; `health` is of the reactor's thread, `round` of the API's.
struct LastTold {
  daemon::ReadinessLog health{};
  ApiRound round{};
};

// The lines of /readyz, which the log tells the changes of.
[[nodiscard]] std::vector<daemon::Check> checks_of(const Snapshot& now);

// Requires that `changed` and `followed` are there. `log` and `last` outlive the agent.
void log_reports(AgentReports& reports, daemon::Log& log, LastTold& last);

}  // namespace elbowroom::agent
