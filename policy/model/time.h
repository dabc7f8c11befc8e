// Wall time as the API writes it. Policy never reads a clock; callers pass the time.
#pragma once

#include <chrono>

namespace elbowroom::policy {

// UTC, microseconds: what RFC 3339 and MicroTime can carry.
using Time = std::chrono::sys_time<std::chrono::microseconds>;

}  // namespace elbowroom::policy
