// The names of faults, as SimulationHooks::fault receives them: "Refused", "Status/429",
// "ENOSPC/write", "RuntimeNotApplied", ...
#pragma once

#include <string>

#include "lab/apiserver/api_fault.h"
#include "lab/node/runtime_fault.h"
#include "lab/virtual/virtual_disk.h"

namespace elbowroom::lab {

[[nodiscard]] std::string to_string(const ApiFault& fault);
[[nodiscard]] std::string to_string(const RuntimeFault& fault);
[[nodiscard]] std::string to_string(const DiskFault& fault);

}  // namespace elbowroom::lab
