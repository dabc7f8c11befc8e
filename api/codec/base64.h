// Base64 as in kubeconfig files. White space is skipped; any other character outside the alphabet
// is refused.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace elbowroom::api {

// Invalid: a character outside the alphabet, wrong padding, an impossible length.
[[nodiscard]] Result<std::string> decode_base64(std::string_view text);

// With padding, on one line.
[[nodiscard]] std::string encode_base64(std::string_view bytes);

}  // namespace elbowroom::api
