// The verb `elbowroom lab kubelet`: the pod runner alone. It joins any cluster as a node, but
// decides no resizes; the agent does that.
#pragma once

#include <CLI/CLI.hpp>

namespace elbowroom::cli {

void add_lab_kubelet(CLI::App& lab);

}  // namespace elbowroom::cli
