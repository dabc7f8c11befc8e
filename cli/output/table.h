// A table for people: left-aligned columns, two spaces between them. Cells are made fit for a
// terminal here, so whatever the cluster calls things can be put in.
#pragma once

#include <string>
#include <vector>

namespace elbowroom::cli {

// One line per row, the first row being the head. Rows may have fewer cells than the head; a cell
// of more than 100 bytes is cut, except in the last column.
[[nodiscard]] std::string to_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace elbowroom::cli
