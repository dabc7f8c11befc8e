// Times as the API writes them: RFC 3339, "2026-07-24T10:00:00Z", with fractions and offsets. What
// is finer than a microsecond is cut off.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "policy/model/time.h"

namespace elbowroom::api {

// Invalid: anything but RFC 3339, a day that does not exist, a leap second.
[[nodiscard]] Result<policy::Time> parse_timestamp(std::string_view text);

// In UTC; with six digits of a fraction only where there is one. Requires a year of 0..9999.
[[nodiscard]] std::string format_timestamp(policy::Time time);

// Always with six digits, as MicroTime fields want it.
[[nodiscard]] std::string format_micro_timestamp(policy::Time time);

}  // namespace elbowroom::api
