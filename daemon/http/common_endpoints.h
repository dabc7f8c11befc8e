// The HTTP endpoints that are the same in every daemon: /livez, /metrics, /configz. Each daemon
// adds its own /readyz and /explain.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "daemon/http/endpoints.h"
#include "daemon/metrics/metrics.h"
#include "daemon/metrics/reload_metrics.h"
#include "daemon/program/watchdog.h"

namespace elbowroom::daemon {

// All three arguments must outlive the endpoints.
[[nodiscard]] Endpoints common_endpoints(const Watchdog& watchdog, const Metrics& metrics,
                                         const ReloadMetrics& config);

// Returns the reply to /explain: JSON; 404 with `missing` for ""; for nullopt, that the reactor did
// not answer.
[[nodiscard]] Reply explained(const std::optional<std::string>& answer, std::string_view missing);

// The only check of /readyz if the reactor did not answer.
[[nodiscard]] Check silent_reactor();

}  // namespace elbowroom::daemon
