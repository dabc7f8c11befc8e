// Times in API format: RFC 3339, "2026-07-24T10:00:00Z", with fractions and offsets. Digits finer
// than a microsecond are cut off.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "policy/model/time.h"

namespace elbowroom::api {

// Invalid: anything but RFC 3339, a day that does not exist, a leap second.
[[nodiscard]] Result<policy::Time> parse_timestamp(std::string_view text);

// In UTC; with six fractional digits, only if there is a fraction. Requires a year of 0..9999.
[[nodiscard]] std::string format_timestamp(policy::Time time);

// Always with six fractional digits, as in MicroTime fields.
[[nodiscard]] std::string format_micro_timestamp(policy::Time time);

}  // namespace elbowroom::api
