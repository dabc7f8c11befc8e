// Dates in HTTP headers. They have no fraction of a second, and come from the server's clock.
#pragma once

#include <optional>
#include <string>

#include "policy/model/time.h"

namespace elbowroom::api {

// "Sat, 21 Nov 2026 13:40:00 GMT", the only form still in use; nothing for anything else.
[[nodiscard]] std::optional<policy::Time> parse_http_date(const std::string& text);
[[nodiscard]] std::string format_http_date(policy::Time time);

}  // namespace elbowroom::api
