// What a program was built from.
#pragma once

#include <string_view>

namespace elbowroom::daemon {

// The commit's first twelve digits; "unknown" outside a checkout.
[[nodiscard]] std::string_view revision();

}  // namespace elbowroom::daemon
