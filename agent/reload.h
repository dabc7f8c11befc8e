// A new configuration for an agent that runs: read, checked and planned whole before anything
// changes. Either all of it counts or none of it; what needs a restart is refused by name.
#pragma once

#include <string>
#include <vector>

#include "agent/config.h"
#include "api/transport/access.h"
#include "base/result.h"
#include "daemon/config/config.h"
#include "daemon/config/reload.h"

namespace elbowroom::agent {

// What an agent was started with.
struct ConfigSource {
  daemon::ConfigSource from{};
  std::string host_name{};
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

}  // namespace elbowroom::agent
