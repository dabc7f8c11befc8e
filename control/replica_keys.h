// The keys of configuration that every leader-elected daemon has.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "daemon/config/config.h"

namespace elbowroom::control {

[[nodiscard]] daemon::Key leader_elect_key();
// `help` names the Lease.
[[nodiscard]] daemon::Key lease_namespace_key(std::string_view help);

// Invalid: leaseNamespace can be no namespace's name, and it becomes part of a path.
[[nodiscard]] Result<std::string> lease_namespace(const daemon::Settings& settings);

}  // namespace elbowroom::control
