// What the verbs of `elbowroom lab` have in common: amounts on the command line. They are
// Kubernetes quantities, and what is none is a usage error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace elbowroom::cli {

// Invalid, naming the option: no quantity, or zero.
[[nodiscard]] Result<std::int64_t> amount_option(std::string_view option, std::string_view resource,
                                                 const std::string& text);

// Writes a line to standard error, made fit for a terminal; may be called from any thread.
void say_trouble(const std::string& what);

}  // namespace elbowroom::cli
