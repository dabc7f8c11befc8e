// Sends what the scheduler reports of itself to its log too. The one thing to know: it wraps the
// reports that are there, so whoever heard them before still does.
#pragma once

#include <string>

#include "daemon/health_news.h"
#include "daemon/log.h"
#include "scheduler/api_worker.h"
#include "scheduler/log_lines.h"
#include "scheduler/unreadable_news.h"
#include "scheduler/wiring.h"

namespace elbowroom::scheduler {

// What was told last; `round` and `unreadable` are of the API's thread, the others of the
// reactor's.
struct LastTold {
  daemon::HealthNews health{};
  LeaseTrouble lease{};
  std::string idle{"it has just started"};
  ApiRound round{};
  UnreadableNews unreadable{};
};

// Requires that `measured` and `followed` are there. `log` and `last` outlive the scheduler.
void log_reports(SchedulerReports& reports, daemon::Log& log, LastTold& last);

}  // namespace elbowroom::scheduler
