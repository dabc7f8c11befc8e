// Wraps sentences for a terminal of 100 columns. The input may come from anywhere; only printable
// text is returned.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace elbowroom::cli {

// The words broken at spaces, ending with a newline; the first line is indented by `indent`, all
// others by `hang`. A word longer than a line stays whole.
[[nodiscard]] std::string wrapped(std::string_view words, std::size_t indent, std::size_t hang);

}  // namespace elbowroom::cli
