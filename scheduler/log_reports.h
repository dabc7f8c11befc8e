// Sends what the scheduler reports of itself to its log too. It wraps the reports that are there,
// so whoever heard them before still does.
#pragma once

#include <string>

#include "daemon/log/log.h"
#include "daemon/log/readiness_log.h"
#include "scheduler/api_worker.h"
#include "scheduler/log_lines.h"
#include "scheduler/unreadable_log.h"
#include "scheduler/wiring.h"

namespace elbowroom::scheduler {

// What was told last; `round` and `unreadable` are of the API's thread, the others of the
// reactor's.
struct LastTold {
  daemon::ReadinessLog health{};
  LeaseError lease{};
  std::string idle{"it has just started"};
  ApiRound round{};
  UnreadableLog unreadable{};
};

// Requires that `measured` and `followed` are there. `log` and `last` outlive the scheduler.
void log_reports(SchedulerReports& reports, daemon::Log& log, LastTold& last);

}  // namespace elbowroom::scheduler
