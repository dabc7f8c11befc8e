#include "cli/output/table.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/text.h"
#include "cli/output/screen.h"

namespace elbowroom::cli {
namespace {

constexpr std::size_t kMaxCellBytes = 100;

// Counts bytes that begin a character: close enough to columns for names.
std::size_t width_of(const std::string& cell) {
  return static_cast<std::size_t>(std::ranges::count_if(
      cell, [](char c) { return (static_cast<std::uint8_t>(c) & 0xC0) != 0x80; }));
}

// The cell broken at spaces so that it ends before the last column, with further lines below its
// first; where less than a third is left for it, on lines of its own.
std::string fitted(const std::string& cell, std::size_t begin, std::size_t columns) {
  if (columns == 0 || begin + width_of(cell) <= columns) return cell;
  constexpr std::size_t kIndent = 6;
  const bool has_room = columns > begin && (columns - begin) * 3 >= columns;
  const std::size_t hang = has_room ? begin : kIndent;
  std::string out;
  std::size_t column = begin;
  for (std::string_view rest = cell; !rest.empty();) {
    const std::string word(rest.substr(0, rest.find(' ')));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    const bool is_first = out.empty();
    const std::size_t next = column + (is_first ? 0 : 1) + width_of(word);
    if (is_first ? !has_room : next > columns) {
      out += "\n" + std::string(hang, ' ') + word;
      column = hang + width_of(word);
    } else {
      out += (is_first ? "" : " ") + word;
      column = next;
    }
  }
  return out;
}

}  // namespace

std::string to_table(const std::vector<std::vector<std::string>>& rows, std::size_t columns) {
  std::vector<std::vector<std::string>> cells;
  std::vector<std::size_t> widths;
  for (const std::vector<std::string>& row : rows) {
    std::vector<std::string>& line = cells.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool last = i + 1 == rows[0].size();
      line.push_back(last ? sanitize_line(row[i]) : clipped(sanitize_line(row[i]), kMaxCellBytes));
      if (widths.size() <= i) widths.push_back(0);
      widths[i] = std::max(widths[i], width_of(line.back()));
    }
  }
  std::string out;
  for (const std::vector<std::string>& line : cells) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const bool last = i + 1 == widths.size();
      const std::string cell = last ? fitted(line[i], width_of(text), columns) : line[i];
      if (cell.starts_with('\n')) text.erase(text.find_last_not_of(' ') + 1);
      text += cell;
      if (i + 1 < line.size()) text.append(widths[i] - width_of(line[i]) + 2, ' ');
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }
  return out;
}

std::string to_table(const std::vector<std::vector<std::string>>& rows) {
  return to_table(rows, screen_columns());
}

}  // namespace elbowroom::cli
