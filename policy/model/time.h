// Wall time as the API writes it. Policy never asks for the time; it is told.
#pragma once

#include <chrono>

namespace elbowroom::policy {

// UTC, microseconds: what RFC 3339 and MicroTime can carry.
using Time = std::chrono::sys_time<std::chrono::microseconds>;

}  // namespace elbowroom::policy
