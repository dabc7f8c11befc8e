// Options that the verbs of `elbowroom lab` share: amounts on the command line. They are Kubernetes
// quantities; anything else is a usage error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace elbowroom::cli {

// Invalid, naming the option: not a quantity, or zero.
[[nodiscard]] Result<std::int64_t> amount_option(std::string_view option, std::string_view resource,
                                                 const std::string& text);

// Writes a sanitized line to standard error; any thread may call it.
void print_error_line(const std::string& what);

}  // namespace elbowroom::cli
