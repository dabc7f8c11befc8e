// The verb `elbowroom lab demo`. It exits with 0 only if every step of the story was observed, in
// the API's objects and in the runtime's figures.
#pragma once

#include <CLI/CLI.hpp>

namespace elbowroom::cli {

void add_lab_demo(CLI::App& lab);

}  // namespace elbowroom::cli
