// What every daemon answers over HTTP in the same way: /livez, /metrics, /configz. /readyz and
// /explain are each daemon's own, and are to be added.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "daemon/http/endpoints.h"
#include "daemon/metrics/metrics.h"
#include "daemon/metrics/reload_metrics.h"
#include "daemon/program/watchdog.h"

namespace elbowroom::daemon {

// All three must outlive the endpoints.
[[nodiscard]] Endpoints common_endpoints(const Watchdog& watchdog, const Metrics& metrics,
                                         const ReloadMetrics& config);

// The reply to /explain: JSON; "": 404 with `missing`; nullopt: the reactor did not answer.
[[nodiscard]] Reply explained(const std::optional<std::string>& answer, std::string_view missing);

// The one check of /readyz where the reactor did not answer.
[[nodiscard]] Check silent_reactor();

}  // namespace elbowroom::daemon
