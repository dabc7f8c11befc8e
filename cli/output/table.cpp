#include "cli/output/table.h"

#include <algorithm>
#include <cstdint>

#include "base/text.h"

namespace elbowroom::cli {
namespace {

constexpr std::size_t kMaxCellBytes = 100;

// Counts bytes that begin a character: close enough to columns for names.
std::size_t width_of(const std::string& cell) {
  return static_cast<std::size_t>(std::ranges::count_if(
      cell, [](char c) { return (static_cast<std::uint8_t>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::string to_table(const std::vector<std::vector<std::string>>& rows) {
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
      text += line[i];
      if (i + 1 < line.size()) text.append(widths[i] - width_of(line[i]) + 2, ' ');
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }
  return out;
}

}  // namespace elbowroom::cli
