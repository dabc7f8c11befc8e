// A new configuration for a daemon that runs. It is read, checked and planned whole before anything
// changes; then all of it counts, or the old one stays and that is said.
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

// What a daemon was started with, and reads again.
struct ConfigSource {
  std::string file{};                          // "": none
  std::map<std::string, std::string> flags{};  // without dashes; they win over the file
};

// What the source makes of the schema now. Invalid, and others of the file's: FILE, line and key
// are named.
[[nodiscard]] Result<Settings> read_again(const Schema& schema, const ConfigSource& source);

// What counts from now on.
struct Taken {
  Settings settings{};
  std::vector<std::string> changed{};  // keys
};

// One reload: `plan_and_swap` does it, or fails and leaves everything as it was. The level of the
// log goes with it; the service manager, the log and the metrics are told what became of it.
void reload(Log& log, ReloadMetrics& figures, const std::function<Result<Taken>()>& plan_and_swap);

}  // namespace elbowroom::daemon
