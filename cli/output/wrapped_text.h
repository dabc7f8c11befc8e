// Sentences for a terminal of 100 columns. Words from anywhere may come in, and nothing that is not
// printable goes out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace elbowroom::cli {

// The words broken at spaces, with a line end; the first line is indented by `indent`, all others
// by `hang`. A word that is longer than a line stays whole.
[[nodiscard]] std::string wrapped(std::string_view words, std::size_t indent, std::size_t hang);

}  // namespace elbowroom::cli
