// The verb `elbowroom lab kubelet`: the pod runner alone. It takes part in any cluster as a node,
// but judges no resizes; that is the agent's part.
#pragma once

#include <CLI/CLI.hpp>

namespace elbowroom::cli {

void add_lab_kubelet(CLI::App& lab);

}  // namespace elbowroom::cli
