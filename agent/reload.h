// A new configuration for an agent that runs: read, checked and planned whole before anything
// changes. The one thing to know: either all of it counts or none of it; what needs a restart is
// refused by name.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "agent/config.h"
#include "api/access.h"
#include "base/result.h"
#include "daemon/config.h"

namespace elbowroom::agent {

// What an agent was started with; what it is read from again.
struct ConfigSource {
  std::string file{};                          // "": none
  std::map<std::string, std::string> flags{};  // without dashes; they win over the file
  std::string host_name{};
  api::ApiEnvironment environment{};
};

struct Reload {
  daemon::Settings settings{};
  api::Access access{};
  std::vector<std::string>
      changed{};  // keys with another value; the kubeconfig also by its content
};

// What is to count from now on. Invalid, and others of the file's: FILE, line and key are named; a
// key that needs a restart has another value; the kubeconfig names another server.
[[nodiscard]] Result<Reload> plan_reload(const ConfigSource& source, const daemon::Settings& now,
                                         const api::Access& access_now);

}  // namespace elbowroom::agent
