// Columns of a table, fitted into the width of a terminal: first the widest texts are cut, then
// the columns that matter least are left out. The first column always stays.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/top/styled_line.h"

namespace elbowroom::cli::top {

struct Column {
  std::string_view group{};  // over several columns of the same group: "CPU, MILLICORES"
  std::string_view title{};
  std::string_view alone{};  // the title where no groups are shown; "": the same
  bool is_right = false;     // of numbers, which are never cut
  std::size_t least = 0;     // a text is not cut to less
  int rank = 0;              // the highest is left out first
  std::size_t widest = 0;    // of the cells that are not given
};

struct Cell {
  std::string text{};
  Style style = Style::Plain;
};
using Cells = std::vector<Cell>;

struct FittedColumn {
  std::size_t at = 0;  // in the columns
  std::size_t width = 0;

  friend bool operator==(const FittedColumn&, const FittedColumn&) = default;
};

// Requires at least one column, and as many cells in each row as columns.
[[nodiscard]] std::vector<FittedColumn> fitted(const std::vector<Column>& columns,
                                               const std::vector<Cells>& rows, std::size_t width);

// All at most as wide as the columns were fitted into.
[[nodiscard]] StyledLine group_line(const std::vector<Column>& columns,
                                    const std::vector<FittedColumn>& fit);
[[nodiscard]] StyledLine title_line(const std::vector<Column>& columns,
                                    const std::vector<FittedColumn>& fit);
[[nodiscard]] StyledLine cells_line(const std::vector<Column>& columns,
                                    const std::vector<FittedColumn>& fit, const Cells& cells);

}  // namespace elbowroom::cli::top
