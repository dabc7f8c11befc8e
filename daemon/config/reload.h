// Reloads the configuration of a running daemon. The new configuration is read, checked and planned
// as a whole before anything changes. Then all of it takes effect, or the present one stays and the
// failure is reported.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "daemon/config/config.h"
#include "daemon/log/log.h"
#include "daemon/metrics/reload_metrics.h"

namespace elbowroom::daemon {

// Where a daemon's configuration comes from, at start and at every reload.
struct ConfigSource {
  std::string file{};                          // "": none
  std::map<std::string, std::string> flags{};  // without dashes; they override the file
};

// Returns the settings that the source gives now. Fails with Invalid and other errors of the file;
// the error names FILE, line and key.
[[nodiscard]] Result<Settings> read_again(const Schema& schema, const ConfigSource& source);

// The configuration in effect after a reload.
struct Taken {
  Settings settings{};
  std::vector<std::string> changed{};  // keys
};

// Performs one reload. `plan_and_swap` applies it, or fails and changes nothing. The log level
// changes with it. The outcome is reported to the service manager, the log and the metrics.
void reload(Log& log, ReloadMetrics& figures, const std::function<Result<Taken>()>& plan_and_swap);

}  // namespace elbowroom::daemon
