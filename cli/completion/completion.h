// The verb `completion`, and what its scripts run.
#pragma once

#include <CLI/CLI.hpp>

namespace elbowroom::cli {

void add_completion(CLI::App& app);

}  // namespace elbowroom::cli
