// `PROGRAM selftest --sandbox`: tries the acts of daemon/program/sandbox.h and prints the outcome.
// It runs inside the unit, for example as ExecStartPre=; elsewhere it says that this is no sandbox.
#pragma once

#include <string>
#include <string_view>

#include "daemon/program/sandbox.h"

namespace elbowroom::daemon {

// Returns the exit status: 0 if this is a sandbox and every outcome is as required, otherwise 1.
// `output` is table or json.
[[nodiscard]] int selftest(const Surroundings& at, std::string_view output);

// Converts "[fd00::1]" to "fd00::1"; other names stay unchanged.
[[nodiscard]] std::string without_brackets(std::string_view host);

}  // namespace elbowroom::daemon
