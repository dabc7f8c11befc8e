// A table as text: left-aligned columns, two spaces between them. Cells are sanitized here, so any
// name from a cluster is safe.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace elbowroom::cli {

// One line per row; the first row is the header. Rows may have fewer cells than the header; a cell
// of more than 100 bytes is cut, except in the last column.
// On a terminal the last column is broken at spaces to fit.
[[nodiscard]] std::string to_table(const std::vector<std::vector<std::string>>& rows);
// For a terminal of that many columns; 0: of any.
[[nodiscard]] std::string to_table(const std::vector<std::vector<std::string>>& rows,
                                   std::size_t columns);

}  // namespace elbowroom::cli
