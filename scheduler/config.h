// The configuration of elbowroom-scheduler: its keys, and the options they make. There is one
// table; flags, file, --check-config, /configz and the manual all come from it.
#pragma once

#include <string>
#include <vector>

#include "api/transport/kubeconfig.h"
#include "base/result.h"
#include "daemon/config/config.h"
#include "scheduler/wiring.h"

namespace elbowroom::scheduler {

// SchedulerConfiguration.
[[nodiscard]] daemon::Schema scheduler_schema();

// What the settings ask for; `identity` is this process among its replicas. Invalid: settings that
// do not go together, or a kubeconfig that cannot be used.
[[nodiscard]] Result<SchedulerOptions> options_from(const daemon::Settings& settings,
                                                    const std::string& identity,
                                                    const api::ApiEnvironment& environment);

// What keys that nobody set come to.
[[nodiscard]] std::vector<daemon::Resolution> resolved();

// A configuration that --check-config found nothing wrong with.
struct CheckedConfig {
  std::string yaml{};  // as it counts
  std::string note{};  // what was not looked at, and why; "": nothing
};

// The same without an API server's credentials where no kubeconfig is named: a configuration is
// also checked where it is written, far from any cluster. Invalid as options_from.
[[nodiscard]] Result<CheckedConfig> check_config(const daemon::Settings& settings,
                                                 const api::ApiEnvironment& environment);

}  // namespace elbowroom::scheduler
