// A table as text: left-aligned columns, two spaces between them. Cells are sanitized here, so any
// name from a cluster is safe.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace elbowroom::cli {

struct TableLayout {
  std::size_t columns = 0;               // of the terminal; 0: any width
  std::size_t indent = 0;                // of every line
  std::span<const std::string> below{};  // lines that stand below each row, the header's first
};

// One line per row; the first row is the header. Rows may have fewer cells than the header. For a
// terminal a cell of more than 100 bytes is cut, except in the last column; elsewhere none is, and
// a longer one does not widen its column.
// For a terminal the last column is broken at spaces to fit, and where the others leave it no room
// the longest names lose their middle: "checkout-~-x7k2p".
[[nodiscard]] std::string to_table(const std::vector<std::vector<std::string>>& rows,
                                   const TableLayout& layout);
// For standard output, as wide as it is.
[[nodiscard]] std::string to_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace elbowroom::cli
