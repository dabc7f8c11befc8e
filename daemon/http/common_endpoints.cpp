#include "daemon/http/common_endpoints.h"

#include "base/text.h"

namespace elbowroom::daemon {

Endpoints common_endpoints(const Watchdog& watchdog, const Metrics& metrics,
                           const ReloadMetrics& config) {
  Endpoints of;
  of.live = [&watchdog] {
    const auto hung = watchdog.hung();
    return std::vector<Check>{{"loops", hung.empty(), to_string(hung)}};
  };
  of.metrics = [&metrics] {
    return Reply{.type = std::string(Metrics::kContentType), .body = metrics.text()};
  };
  of.configz = [&config] { return Reply{.type = "application/yaml", .body = config.text()}; };
  return of;
}

Reply explained(const std::optional<std::string>& answer, std::string_view missing) {
  if (!answer) return {.status = 503, .body = "the reactor did not answer in time\n"};
  if (answer->empty()) return {.status = 404, .body = sanitize(missing) + "\n"};
  return {.type = "application/json", .body = *answer};
}

Check silent_reactor() { return {"reactor", false, "it did not answer within 2 s"}; }

}  // namespace elbowroom::daemon
