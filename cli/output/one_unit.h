// Quantities of one resource in one unit, so that a column can be compared at a glance.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace elbowroom::cli {

// Writes all quantities in the smallest unit among them, exactly: 4 beside 2500m becomes 4000m, 8Gi
// beside 4596Mi becomes 8192Mi. "0" and what is no quantity ("-") stay. Where one has a unit that
// is not known, or grows too large, all stay.
void in_one_unit(const std::vector<std::string*>& quantities);

// The cells of a table's column without its header; all rows have such a cell.
[[nodiscard]] std::vector<std::string*> column_of(std::vector<std::vector<std::string>>& rows,
                                                  std::size_t column);

}  // namespace elbowroom::cli
