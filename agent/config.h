// The configuration of elbowroomd: its keys, and the options they make. There is one table; flags,
// file, --check-config, /configz and the manual all come from it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/wiring.h"
#include "api/transport/kubeconfig.h"
#include "base/result.h"
#include "daemon/config/config.h"

namespace elbowroom::agent {

// AgentConfiguration.
[[nodiscard]] daemon::Schema agent_schema();

// Invalid: settings that do not go together, whatever the machine.
[[nodiscard]] Result<void> check_together(const daemon::Settings& settings);

// What the settings ask for on this machine; where no node's name is set it is `host_name` as a
// kubelet makes it one: without spaces around it, in lower case.
// Asks nobody: neither the API server, the runtime nor the state directory need be there. Invalid:
// settings that do not go together or can be of no use, or a kubeconfig that cannot be used.
[[nodiscard]] Result<AgentOptions> options_from(const daemon::Settings& settings,
                                                const std::string& host_name,
                                                const api::ApiEnvironment& environment);

// What keys that nobody set come to on this machine. `critical_preemption`: whether this node makes
// room for critical pods itself; none: not known before the API server was asked.
[[nodiscard]] std::vector<daemon::Resolution> resolved(const AgentOptions& options,
                                                       std::optional<bool> critical_preemption);

// A configuration that --check-config found nothing wrong with.
struct CheckedConfig {
  std::string yaml{};  // as it counts
  std::string note{};  // what was not looked at, and why; "": nothing
};

// The same without an API server's credentials where no kubeconfig is named: a configuration is
// also checked where it is written, far from any cluster. Invalid as options_from.
[[nodiscard]] Result<CheckedConfig> check_config(const daemon::Settings& settings,
                                                 const std::string& host_name,
                                                 const api::ApiEnvironment& environment);

}  // namespace elbowroom::agent
