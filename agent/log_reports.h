// Sends what the agent reports of itself to its log too. The one thing to know: it wraps the
// reports that are there, so whoever heard them before still does.
#pragma once

#include "agent/api_worker.h"
#include "agent/wiring.h"
#include "daemon/health_news.h"
#include "daemon/log.h"

namespace elbowroom::agent {

// What was told last; `health` is of the reactor's thread, `round` of the API's.
struct LastTold {
  daemon::HealthNews health{};
  ApiRound round{};
};

// Requires that `changed` and `followed` are there. `log` and `last` outlive the agent.
void log_reports(AgentReports& reports, daemon::Log& log, LastTold& last);

}  // namespace elbowroom::agent
