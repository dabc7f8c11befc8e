// The configuration of elbowroom-rescheduler: its keys, and the options they make. There is one
// table; flags, file, --check-config, /configz and the manual all come from it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "control/live_config.h"
#include "daemon/config/config.h"
#include "policy/moves/move_rules.h"
#include "rescheduler/wiring.h"

namespace elbowroom::rescheduler {

// ReschedulerConfiguration.
[[nodiscard]] daemon::Schema rescheduler_schema();

// The rules of moves in the file of --config; none: it has none of their keys, and the ConfigMap
// decides. Invalid: with file, key and line.
[[nodiscard]] Result<std::optional<policy::MoveRules>> own_rules(const daemon::Settings& settings);

// The configuration as control/live_config.h wants it; `self` is this process among its replicas.
struct Config {
  using Options = ReschedulerOptions;

  static daemon::Schema schema() { return rescheduler_schema(); }
  static Result<void> check_together(const daemon::Settings& /*settings*/) { return {}; }
  static Result<Options> own_options(const daemon::Settings& settings, const std::string& self);
  static std::vector<daemon::Resolution> resolved(const Options& /*options*/) { return {}; }
};

}  // namespace elbowroom::rescheduler
