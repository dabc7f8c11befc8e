// What an agent writes into cgroups, judged by what the kernel double recorded.
#pragma once

#include <string>

#include "lab/virtual/virtual_runtime.h"

namespace elbowroom::test {

// What is wrong with that write; "": nothing. A memory limit stays at or above what is in use, and
// no limit of a container that the agent has seen running exceeds its pod's at any instant.
[[nodiscard]] std::string wrong_with(const lab::CgroupWrite& write);

}  // namespace elbowroom::test
