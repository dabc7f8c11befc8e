// `PROGRAM selftest --sandbox`: tries the acts of daemon/program/sandbox.h and prints what came of
// them. It is run inside the unit, as ExecStartPre= for instance; elsewhere it says so.
#pragma once

#include <string>
#include <string_view>

#include "daemon/program/sandbox.h"

namespace elbowroom::daemon {

// The exit status: 0 where this is a sandbox and everything is as it should be, else 1. `output` is
// table or json.
[[nodiscard]] int selftest(const Surroundings& at, std::string_view output);

// "fd00::1" of "[fd00::1]"; other names as they are.
[[nodiscard]] std::string without_brackets(std::string_view host);

}  // namespace elbowroom::daemon
