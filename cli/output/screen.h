// What standard output is shown on: its width, and whether it has colours.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace elbowroom::cli {

// The columns of the terminal; 0: standard output is none, or does not say. At least 20.
[[nodiscard]] std::size_t screen_columns();

// True where standard output is a pipe whose reader has closed it.
[[nodiscard]] bool output_has_no_reader();

// "always", "never", or "auto": on a terminal, where NO_COLOR is not set and TERM is not dumb.
void choose_colours(std::string_view when);
[[nodiscard]] bool has_colours();

// The text of a table or an explanation with its titles bold and verdicts in colour, where there
// are colours. `text` has no control characters but newlines.
[[nodiscard]] std::string painted(std::string text);

}  // namespace elbowroom::cli
