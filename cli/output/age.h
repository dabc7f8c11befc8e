// Ages and waits as kubectl prints them: the two largest units, fewer the longer it is.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "policy/model/time.h"

namespace elbowroom::cli {

// "45s", "3m5s", "12m", "3h20m", "20h", "3d4h", "12d", "2y". Below zero counts as zero.
[[nodiscard]] std::string age_text(std::chrono::seconds age);

// From `since` to `now`; "?" where it is not known.
[[nodiscard]] std::string age_text(const std::optional<policy::Time>& since, policy::Time now);

}  // namespace elbowroom::cli
