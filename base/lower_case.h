// A text in lower case. The one thing to know: only the letters A to Z change, whatever the locale
// is, so names of headers, schemes and words of YAML mean the same on every machine.
#pragma once

#include <string>
#include <string_view>

namespace elbowroom {

[[nodiscard]] std::string lower_case(std::string_view text);

}  // namespace elbowroom
