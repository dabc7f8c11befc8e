// A new configuration for a scheduler that runs: planned whole before anything changes. What needs
// a restart is refused by name, and so is another API server.
#pragma once

#include <string>
#include <vector>

#include "api/transport/access.h"
#include "api/transport/kubeconfig.h"
#include "base/result.h"
#include "daemon/config/config.h"
#include "daemon/config/reload.h"

namespace elbowroom::scheduler {

// What a scheduler was started with.
struct ConfigSource {
  daemon::ConfigSource from{};
  std::string identity{};
  api::ApiEnvironment environment{};
};

struct Reload {
  daemon::Taken taken{};  // the kubeconfig counts as changed by its content too
  api::Access access{};
};

// What is to count from now on. Invalid, and others of the file's: FILE, line and key are named; a
// key that needs a restart has another value; the kubeconfig names another server.
[[nodiscard]] Result<Reload> plan_reload(const ConfigSource& source, const daemon::Settings& now,
                                         const api::Access& access_now);

}  // namespace elbowroom::scheduler
