// The metrics of elbowroomd, one row each. Agent/agent_metrics.h moves them, and docs/metrics.md is
// printed from here.
#pragma once

#include "daemon/metrics/metric_family.h"

namespace elbowroom::agent {

// What every daemon has, then the agent's own.
[[nodiscard]] daemon::MetricFamilies agent_families();

}  // namespace elbowroom::agent
