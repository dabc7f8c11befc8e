// The configuration of elbowroom-rescheduler: its keys, and the options they make. There is one
// table; flags, file, --check-config, /configz and the manual all come from it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "control/live_config.h"
#include "daemon/config/config.h"
#include "rescheduler/wiring.h"

namespace elbowroom::rescheduler {

// ReschedulerConfiguration.
[[nodiscard]] daemon::Schema rescheduler_schema();

// The configuration as control/live_config.h wants it; `self` is this process among its replicas.
struct Config {
  using Options = ReschedulerOptions;

  static daemon::Schema schema() { return rescheduler_schema(); }
  static Result<void> check_together(const daemon::Settings& /*settings*/) { return {}; }
  static Result<Options> own_options(const daemon::Settings& settings, const std::string& self);
  static std::vector<daemon::Resolution> resolved(const Options& /*options*/) { return {}; }
};

}  // namespace elbowroom::rescheduler
