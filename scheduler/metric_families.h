// The metrics of elbowroom-scheduler, one row each. Scheduler/scheduler_metrics.h moves them, and
// docs/metrics-scheduler.md is printed from here.
#pragma once

#include "daemon/metrics/metric_family.h"

namespace elbowroom::scheduler {

// What every daemon has, then the scheduler's own.
[[nodiscard]] daemon::MetricFamilies scheduler_families();

}  // namespace elbowroom::scheduler
