// Base64 as kubeconfig files hold it. White space is skipped, anything else that does not belong is
// refused.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace elbowroom::api {

// Invalid: a character outside the alphabet, wrong padding, a length that cannot be.
[[nodiscard]] Result<std::string> decode_base64(std::string_view text);

// With padding, on one line.
[[nodiscard]] std::string encode_base64(std::string_view bytes);

}  // namespace elbowroom::api
