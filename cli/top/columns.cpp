#include "cli/top/columns.h"

#include <algorithm>
#include <utility>

#include "cli/top/cells.h"

namespace elbowroom::cli::top {
namespace {

constexpr std::size_t kGap = 1;
constexpr std::size_t kMostWidth = 500;

using Fit = std::vector<FittedColumn>;

std::size_t whole_width(const Fit& fit) {
  std::size_t width = (fit.size() - 1) * kGap;
  for (const FittedColumn& each : fit) width += each.width;
  return width;
}

// The texts that are wide enough to be cut, down to the width that lets all of them fit.
bool cut_texts(const std::vector<Column>& columns, Fit& fit, std::size_t width) {
  const auto spare = [&columns](const FittedColumn& each) {
    const Column& column = columns[each.at];
    const bool is_cut = !column.is_right && each.width > column.least;
    return is_cut ? each.width : 0;
  };
  for (std::size_t over = whole_width(fit); over > width; --over) {
    FittedColumn& widest = *std::ranges::max_element(fit, {}, spare);
    if (spare(widest) == 0) return false;
    --widest.width;
  }
  return true;
}

void leave_one_out(const std::vector<Column>& columns, Fit& fit) {
  const auto rank = [&columns](const FittedColumn& each) { return columns[each.at].rank; };
  fit.erase(std::ranges::max_element(fit.begin() + 1, fit.end(), {}, rank));
}

template <class Text>
StyledLine line_of(const std::vector<Column>& columns, const Fit& fit, Text text) {
  StyledLine line;
  for (const FittedColumn& each : fit) {
    if (!line.empty()) line.push_back({std::string(kGap, ' '), Style::Plain});
    Cell cell = text(each.at);
    line.push_back({padded(cell.text, each.width, columns[each.at].is_right), cell.style});
  }
  return line;
}

}  // namespace

Fit fitted(const std::vector<Column>& columns, const std::vector<Cells>& rows, std::size_t width) {
  Fit natural;
  for (std::size_t at = 0; at < columns.size(); ++at) {
    std::size_t widest = std::max(columns[at].title.size(), columns[at].widest);
    for (const Cells& row : rows) widest = std::max(widest, row[at].text.size());
    natural.push_back({at, std::min(widest, kMostWidth)});
  }
  while (true) {
    Fit fit = natural;
    if (cut_texts(columns, fit, width)) return fit;
    if (natural.size() == 1) return {{0, std::min(natural[0].width, width)}};
    leave_one_out(columns, natural);
  }
}

StyledLine group_line(const std::vector<Column>& columns, const Fit& fit) {
  StyledLine line;
  for (std::size_t i = 0; i < fit.size();) {
    const std::string_view group = columns[fit[i].at].group;
    std::size_t width = fit[i].width;
    for (++i; i < fit.size() && columns[fit[i].at].group == group; ++i)
      width += kGap + fit[i].width;
    if (!line.empty()) line.push_back({std::string(kGap, ' '), Style::Plain});
    line.push_back({padded(group, width, true), Style::Faint});
  }
  return line;
}

StyledLine title_line(const std::vector<Column>& columns, const Fit& fit) {
  return line_of(columns, fit, [&columns](std::size_t at) {
    return Cell{std::string(columns[at].title), Style::Strong};
  });
}

StyledLine cells_line(const std::vector<Column>& columns, const Fit& fit, const Cells& cells) {
  return line_of(columns, fit, [&cells](std::size_t at) { return cells[at]; });
}

}  // namespace elbowroom::cli::top
