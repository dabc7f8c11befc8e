#include "cli/output/table.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/text.h"
#include "cli/output/screen.h"

namespace elbowroom::cli {
namespace {

constexpr std::size_t kMaxCellBytes = 100;
constexpr std::size_t kGap = 2;

bool is_beginning(char c) { return (static_cast<std::uint8_t>(c) & 0xC0) != 0x80; }

// Counts bytes that begin a character: close enough to columns for names.
std::size_t width_of(const std::string& cell) {
  return static_cast<std::size_t>(std::ranges::count_if(cell, is_beginning));
}

// The cell broken at spaces so that it ends before the last column, with further lines below its
// first; where less than a third is left for it, on lines of its own.
std::string fitted(const std::string& cell, std::size_t begin, const TableLayout& layout) {
  const std::size_t columns = layout.columns;
  if (columns == 0 || begin + width_of(cell) <= columns) return cell;
  const std::size_t indent = layout.indent + 6;
  const bool has_room = columns > begin && (columns - begin) * 3 >= columns;
  const std::size_t hang = has_room ? begin : indent;
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

// As many characters, without the middle of what is longer.
std::string shortened(const std::string& cell, std::size_t width) {
  if (width_of(cell) <= width) return cell;
  const std::size_t tail = (width - 1) / 2;
  const std::size_t tail_begin = width_of(cell) - tail;
  std::string out;
  std::size_t at = 0;  // the character that a byte belongs to, from 1
  for (const char c : cell) {
    const std::size_t before = at;
    at += is_beginning(c) ? 1 : 0;
    if (at <= width - 1 - tail || at > tail_begin) {
      out += c;
    } else if (before == width - 1 - tail && at == before + 1) {
      out += '~';
    }
  }
  return out;
}

using Rows = std::vector<std::vector<std::string>>;

Rows sanitized(const Rows& rows, bool cuts) {
  Rows cells;
  for (const std::vector<std::string>& row : rows) {
    std::vector<std::string>& line = cells.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool is_whole = !cuts || i + 1 == rows[0].size();
      line.push_back(is_whole ? sanitize_line(row[i])
                              : clipped(sanitize_line(row[i]), kMaxCellBytes));
    }
  }
  return cells;
}

// Of a cell that is longer than usual the rest of its line gives way, not every line.
std::vector<std::size_t> widths_of(const Rows& cells) {
  std::vector<std::size_t> widths;
  for (const std::vector<std::string>& line : cells) {
    widths.resize(std::max(widths.size(), line.size()));
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::size_t width = width_of(line[i]);
      if (width <= kMaxCellBytes) widths[i] = std::max(widths[i], width);
    }
  }
  return widths;
}

// The widest columns before the last one give way until a third of the line is left for it, or as
// much as it needs.
void narrow(std::vector<std::size_t>& widths, const TableLayout& layout) {
  if (layout.columns == 0 || widths.size() < 2) return;
  constexpr std::size_t kLeast = 12;
  const std::span<std::size_t> before(widths.data(), widths.size() - 1);
  std::size_t whole = layout.indent + std::min(widths.back(), (layout.columns + 2) / 3);
  for (const std::size_t width : before) whole += width + kGap;
  for (; whole > layout.columns; --whole) {
    std::size_t& widest = *std::ranges::max_element(before);
    if (widest <= kLeast) return;
    --widest;
  }
}

}  // namespace

std::string to_table(const Rows& rows, const TableLayout& layout) {
  const bool is_for_terminal = layout.columns > 0;
  const Rows cells = sanitized(rows, is_for_terminal);
  std::vector<std::size_t> widths = widths_of(cells);
  narrow(widths, layout);
  std::string out;
  for (std::size_t row = 0; row < cells.size(); ++row) {
    std::string text(layout.indent, ' ');
    const std::vector<std::string>& line = cells[row];
    for (std::size_t i = 0; i < line.size(); ++i) {
      const bool last = i + 1 == widths.size();
      std::string cell = line[i];
      if (is_for_terminal) {
        cell = last ? fitted(cell, width_of(text), layout) : shortened(cell, widths[i]);
      }
      if (cell.starts_with('\n')) text.erase(text.find_last_not_of(' ') + 1);
      text += cell;
      if (i + 1 < line.size())
        text.append(std::max(widths[i], width_of(cell)) - width_of(cell) + kGap, ' ');
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
    if (row < layout.below.size()) out += layout.below[row];
  }
  return out;
}

std::string to_table(const Rows& rows) { return to_table(rows, {.columns = screen_columns()}); }

}  // namespace elbowroom::cli
