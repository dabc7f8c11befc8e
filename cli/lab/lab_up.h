// The verb `elbowroom lab up`: a cluster in one process, until SIGINT or SIGTERM. It prints one
// line on standard output when it serves, and everything else on standard error.
#pragma once

#include <CLI/CLI.hpp>

namespace elbowroom::cli {

void add_lab_up(CLI::App& lab);

}  // namespace elbowroom::cli
