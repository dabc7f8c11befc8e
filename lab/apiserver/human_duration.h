// Durations as kubectl's AGE column shows them. They get coarser as they get longer, so "3d4h" and
// "12d" never carry seconds.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "policy/model/time.h"

namespace elbowroom::lab {

// "5s", "3m20s", "7h59m", "2d3h", "3y10d"; "<invalid>" for more than a second below zero.
// Source: apimachinery pkg/util/duration HumanDuration.
[[nodiscard]] std::string human_duration(std::chrono::microseconds duration);

// How long ago the timestamp was; "<unknown>" if it is not a timestamp.
[[nodiscard]] std::string human_age(std::string_view timestamp, policy::Time now);

}  // namespace elbowroom::lab
