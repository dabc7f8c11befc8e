// Checks UTF-8 strictly: overlong forms, surrogates and code points above U+10FFFF are refused.
#pragma once

#include <cstddef>
#include <string_view>

namespace elbowroom {

// The offset of the first byte that is not part of valid UTF-8; text.size() if all of it is valid.
[[nodiscard]] std::size_t first_invalid_utf8(std::string_view text);

}  // namespace elbowroom
