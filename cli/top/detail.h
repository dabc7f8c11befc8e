// The detail of the selected row: what `explain` says where the row is about a pod, else all that
// is known of it.
#pragma once

#include <string>
#include <vector>

#include "cli/top/screen.h"

namespace elbowroom::cli::top {

// Lines of at most `width` columns, printable ASCII. `at`: the row's place in the overview.
[[nodiscard]] std::vector<std::string> detail_lines(const Scene& scene, Tab tab, std::size_t at,
                                                    std::size_t width);

// Broken at spaces; further lines keep the indentation. A longer word is broken where it must be.
[[nodiscard]] std::vector<std::string> broken_lines(std::string_view text, std::size_t width);

}  // namespace elbowroom::cli::top
