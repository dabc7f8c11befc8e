// `elbowroom simulate run`: plays a scenario in virtual time and prints its timeline. A scenario
// with expectations is a test; if one does not hold, the exit status is 1.
#pragma once

#include <CLI/CLI.hpp>

namespace elbowroom::cli {

void add_simulate_run(CLI::App& simulate);

}  // namespace elbowroom::cli
