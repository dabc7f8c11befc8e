// The Kubernetes Events of a program, one row each. A reason that is not in its table cannot be
// said, and docs/events.md is printed from there.
#pragma once

#include <algorithm>
#include <ranges>
#include <string>
#include <string_view>

namespace elbowroom::control {

// Reason is an enumeration in the order of the program's table.
template <class Reason>
struct EventRow {
  Reason of{};
  std::string_view reason{};
  std::string_view action{};
  bool warning = false;
  std::string_view meaning{};  // a sentence
  std::string_view remedy{};   // what to do; "" for nothing
  bool is_of_removal = false;  // and so it is written before others
  bool is_once = false;        // a pod gets it once in its life
};

// The row of a reason as the API has it; nullptr: there is none.
template <class Table>
[[nodiscard]] const std::ranges::range_value_t<Table>* row_of_reason(const Table& table,
                                                                     std::string_view reason) {
  const auto at = std::ranges::find(table, reason, &std::ranges::range_value_t<Table>::reason);
  return at != std::ranges::end(table) ? &*at : nullptr;
}

// The reference page's table, in Markdown.
template <class Table>
[[nodiscard]] std::string rows_of_page(const Table& table) {
  std::string page =
      "| reason | type | action | what it means | what to do |\n|---|---|---|---|---|\n";
  for (const auto& row : table) {
    page += "| `" + std::string(row.reason) + "` | " + (row.warning ? "Warning" : "Normal") +
            " | `" + std::string(row.action) + "` | " + std::string(row.meaning) + " | " +
            std::string(row.remedy) + " |\n";
  }
  return page;
}

}  // namespace elbowroom::control
