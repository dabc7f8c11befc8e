// The configuration of elbowroomd: its keys, and the options they make. There is one table; flags,
// file, --check-config, /configz and the manual all come from it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/program/wiring.h"
#include "api/transport/kubeconfig.h"
#include "base/result.h"
#include "control/live_config.h"
#include "daemon/config/config.h"

namespace elbowroom::agent {

// AgentConfiguration.
[[nodiscard]] daemon::Schema agent_schema();

// The runtime's socket where runtimeEndpoint is unset: the usual one that exists, else
// containerd's.
[[nodiscard]] std::string common_endpoint();

// Invalid: settings that do not go together, whatever the machine.
[[nodiscard]] Result<void> check_together(const daemon::Settings& settings);

// What keys that nobody set come to on this machine. `critical_preemption`: whether this node makes
// room for critical pods itself; none: not known before the API server was asked.
[[nodiscard]] std::vector<daemon::Resolution> resolved(const AgentOptions& options,
                                                       std::optional<bool> critical_preemption);

// The configuration as control/live_config.h wants it; `host_name` is the machine's host name.
struct Config {
  using Options = AgentOptions;

  static daemon::Schema schema() { return agent_schema(); }
  static Result<void> check_together(const daemon::Settings& settings) {
    return agent::check_together(settings);
  }
  // Asks nobody: neither the runtime nor the state directory need be there. Where no node's name is
  // set it is the host name as a kubelet makes it one: without spaces around it, in lower case.
  static Result<Options> own_options(const daemon::Settings& settings,
                                     const std::string& host_name);
  static std::vector<daemon::Resolution> resolved(const Options& options) {
    return agent::resolved(options, options.reactor.critical_preemption);
  }
};

// See control/live_config.h.
[[nodiscard]] Result<AgentOptions> options_from(const daemon::Settings& settings,
                                                const std::string& host_name,
                                                const api::ApiEnvironment& environment);

}  // namespace elbowroom::agent
