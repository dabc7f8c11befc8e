// The configuration of elbowroom-scheduler: its keys, and the options they make. There is one
// table; flags, file, --check-config, /configz and the manual all come from it.
#pragma once

#include <string>
#include <vector>

#include "api/transport/kubeconfig.h"
#include "base/result.h"
#include "control/live_config.h"
#include "daemon/config/config.h"
#include "scheduler/wiring.h"

namespace elbowroom::scheduler {

// SchedulerConfiguration.
[[nodiscard]] daemon::Schema scheduler_schema();

// The configuration as control/live_config.h wants it; `identity` is this process among its
// replicas.
struct Config {
  using Options = SchedulerOptions;

  static daemon::Schema schema() { return scheduler_schema(); }
  static Result<void> check_together(const daemon::Settings& /*settings*/) { return {}; }
  static Result<Options> own_options(const daemon::Settings& settings, const std::string& identity);
  static std::vector<daemon::Resolution> resolved(const Options& options);
};

// See control/live_config.h.
[[nodiscard]] Result<SchedulerOptions> options_from(const daemon::Settings& settings,
                                                    const std::string& identity,
                                                    const api::ApiEnvironment& environment);

}  // namespace elbowroom::scheduler
