// Converts a text to lower case. Only the letters A to Z change, in every locale, so names of
// headers, schemes and YAML words mean the same on every machine.
#pragma once

#include <string>
#include <string_view>

namespace elbowroom {

[[nodiscard]] std::string ascii_lower(std::string_view text);

}  // namespace elbowroom
