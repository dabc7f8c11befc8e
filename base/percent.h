// Percent-encoding of URLs, as RFC 3986 (section 2.1) has it.
#pragma once

#include <string>
#include <string_view>

namespace elbowroom {

// Decodes %41 to A. A percent sign without two hexadecimal digits after it stays.
[[nodiscard]] std::string percent_decoded(std::string_view text);

}  // namespace elbowroom
