// Durations as people write them: "90s", "1h30m", "1s500ms". No fractions and no signs, so a
// duration is an exact number of milliseconds.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/result.h"

namespace elbowroom {

// Parts of h, m, s and ms, each with its unit, largest first, none twice; or "0" alone. Anything
// else, and more than a year, is Invalid.
[[nodiscard]] Result<std::chrono::milliseconds> parse_duration(std::string_view text);

// In seconds, with the rest in ms: "90s", "1s500ms", "0s". Requires length >= 0.
[[nodiscard]] std::string format_duration(std::chrono::milliseconds length);

}  // namespace elbowroom
