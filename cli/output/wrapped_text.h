// Wraps sentences for the terminal, at most 98 columns wide, which hold where there is none. The
// input may come from anywhere; only printable text is returned.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace elbowroom::cli {

// The words broken at spaces, ending with a newline; the first line is indented by `indent`, all
// others by `hang`. A word longer than a line stays whole.
[[nodiscard]] std::string wrapped(std::string_view words, std::size_t indent, std::size_t hang);

// "decided:    ...", of an explanation in two columns, with further lines aligned below the first.
[[nodiscard]] std::string titled_row(std::string_view title, std::string_view words);

}  // namespace elbowroom::cli
