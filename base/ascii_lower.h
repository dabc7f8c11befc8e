// A text in lower case. Only the letters A to Z change, whatever the locale is, so names of
// headers, schemes and words of YAML mean the same on every machine.
#pragma once

#include <string>
#include <string_view>

namespace elbowroom {

[[nodiscard]] std::string ascii_lower(std::string_view text);

}  // namespace elbowroom
