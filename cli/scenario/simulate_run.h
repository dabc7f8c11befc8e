// `elbowroom simulate run`: plays a scenario in virtual time and says what happened. A scenario
// with expectations is a test, and one that does not hold is exit status 1.
#pragma once

#include <CLI/CLI.hpp>

namespace elbowroom::cli {

void add_simulate_run(CLI::App& simulate);

}  // namespace elbowroom::cli
