#include "cli/top/screen.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <utility>

#include "api/codec/timestamp.h"
#include "cli/output/table.h"
#include "cli/top/cells.h"
#include "cli/top/detail.h"

namespace elbowroom::cli::top {
namespace {

using Lines = std::vector<StyledLine>;

constexpr std::string_view kKeys =
    "q quit  Tab next  Enter explain  s sort  r reverse  / filter  ? keys";
constexpr std::array<std::string_view, 12> kAllKeys = {
    "1-5, Tab, left, right   which table",
    "up, down, j, k          the row",
    "PgUp, PgDn, Home, End   many rows",
    "Enter                   explains the row, or ends that",
    "+, -, space             scrolls the explanation",
    "s, S                    sorts by the next, the previous column",
    "r                       reverses the order",
    "/                       filters by name; Enter keeps it, Esc ends it",
    "Esc                     ends the explanation, then the filter",
    "Ctrl-L                  draws the screen from the beginning",
    "Ctrl-Z                  suspends; fg returns",
    "q, Ctrl-C               quits"};
// A detail needs so many lines, else it takes the place of the table.
constexpr std::size_t kLeastSplit = 12;
constexpr std::size_t kMostNotes = 2;

// ---- single lines ----

void fit(StyledLine& line, std::size_t width) {
  std::size_t left = width;
  for (Span& each : line) {
    each.text = cut(each.text, left);
    left -= each.text.size();
  }
  std::erase_if(line, [](const Span& each) { return each.text.empty(); });
}

StyledLine bar(std::string_view left, std::string_view right, std::size_t width) {
  if (right.size() + 8 > width) return {{padded(left, width, false), Style::Bar}};
  return {{padded(left, width - right.size() - 1, false) + " " + std::string(right), Style::Bar}};
}

StyledLine head(const Scene& scene, const View& view) {
  const std::string time =
      api::format_timestamp(std::chrono::floor<std::chrono::seconds>(scene.overview.now));
  const std::string reads = scene.is_complete ? "" : "  reads ...";
  return bar("elbowroom top  " + cell_text(scene.source) + reads, time, view.width);
}

StyledLine tab_line(const Scene& scene, const View& view) {
  StyledLine line;
  for (std::size_t i = 0; i < kTabs; ++i) {
    const Tab tab{static_cast<std::uint8_t>(i)};
    const std::string text = std::to_string(i + 1) + " " + std::string(title_of(tab)) + " " +
                             std::to_string(size_of(scene.overview, tab));
    if (!line.empty()) line.push_back({"  "});
    line.push_back({text, tab == view.tab ? Style::Chosen : Style::Plain});
  }
  return line;
}

std::string order_text(const View& view) {
  const TabView& of = view.of_tab();
  return "by " + std::string(sorts_of(view.tab)[of.sort]) + (of.is_reversed ? ", reversed" : "");
}

StyledLine foot(const Scene& scene, const View& view, const Rows& rows) {
  if (view.is_typing) return {{"filter: " + view.filter + "_", Style::Strong}};
  std::string text = std::to_string(rows.size()) + " of " +
                     std::to_string(size_of(scene.overview, view.tab)) + ", " + order_text(view);
  if (!view.filter.empty()) text += ", filter \"" + cell_text(view.filter) + "\"";
  return {{text, Style::Faint}};
}

StyledLine key_line(const View& view) {
  if (view.is_typing) return {{"Enter keeps the filter  Esc ends it", Style::Bar}};
  return {{padded(kKeys, view.width, false), Style::Bar}};
}

// ---- the parts between them ----

struct Parts {
  std::size_t notes = 0;
  std::size_t headings = 1;  // of the table
  std::size_t table = 0;     // rows
  std::size_t detail = 0;    // with its title
};

Parts parts_of(const Scene& scene, const View& view) {
  Parts parts;
  parts.notes = std::min(scene.notes.size(), kMostNotes);
  parts.headings = view.tab == Tab::Nodes ? 2 : 1;
  const std::size_t fixed = 4 + parts.notes + parts.headings;  // head, tabs, foot, keys
  const std::size_t body = view.height - std::min(view.height, fixed);
  if (view.has_detail) {
    parts.detail = body < kLeastSplit ? body : body - body / 3;
  }
  parts.table = body - parts.detail;
  return parts;
}

void add_table(const Scene& scene, const View& view, const Rows& rows, const Parts& parts,
               Lines& lines) {
  const std::size_t selected = selected_in(scene.overview, view, rows);
  const std::size_t first = first_row(view.of_tab().first, selected, rows.size(), parts.table);
  const std::size_t end = std::min(first + parts.table, rows.size());
  std::vector<Cells> cells;
  for (std::size_t i = first; i < end; ++i) {
    cells.push_back(cells_of(scene.overview, view.tab, rows[i]));
  }
  const std::vector<Column> columns = columns_of(scene.overview, view.tab);
  const std::vector<FittedColumn> fit = fitted(columns, cells, view.width);
  if (parts.headings > 1) lines.push_back(group_line(columns, fit));
  lines.push_back(title_line(columns, fit));
  for (std::size_t i = first; i < end; ++i) {
    StyledLine line = cells_line(columns, fit, cells[i - first]);
    if (i == selected) line = {{padded(plain(line), view.width, false), Style::Chosen}};
    lines.push_back(std::move(line));
  }
  lines.resize(lines.size() + parts.table - (end - first));
  if (rows.empty() && parts.table > 0) {
    lines[lines.size() - parts.table] = {{scene.is_complete ? "none" : "reads ...", Style::Faint}};
  }
}

void add_lines(const std::vector<std::string>& texts, std::size_t first, std::size_t height,
               Lines& lines) {
  const std::size_t last = texts.size() > height ? texts.size() - height : 0;
  first = std::min(first, last);
  for (std::size_t i = 0; i < height; ++i) {
    lines.emplace_back();
    if (first + i < texts.size()) lines.back() = {{texts[first + i]}};
  }
}

void add_detail(const Scene& scene, const View& view, const Rows& rows, std::size_t height,
                Lines& lines) {
  if (height == 0) return;
  if (rows.empty()) return add_lines({}, 0, height, lines);
  const std::size_t at = rows[selected_in(scene.overview, view, rows)];
  const std::string_view pod = pod_of(scene.overview, view.tab, at);
  const std::string title = pod.empty() ? cell_text(cells_of(scene.overview, view.tab, at)[0].text)
                                        : "explain pod " + cell_text(pod);
  lines.push_back(bar(title, "Esc ends, + - scroll", view.width));
  add_lines(detail_lines(scene, view.tab, at, view.width), view.detail_first, height - 1, lines);
}

std::size_t key_height(const Parts& parts) { return parts.headings + parts.table + parts.detail; }

std::vector<std::string> key_texts(std::size_t width) {
  std::vector<std::string> texts;
  for (const std::string_view each : kAllKeys) {
    std::ranges::move(broken_lines(each, width), std::back_inserter(texts));
  }
  return texts;
}

// No cell is empty, so that columns can be counted.
std::string plain_table(const policy::Overview& overview, Tab tab, const Rows& rows) {
  std::vector<std::vector<std::string>> table(1);
  for (const Column& each : columns_of(overview, tab)) {
    table[0].emplace_back(each.alone.empty() ? each.title : each.alone);
  }
  for (const std::size_t at : rows) {
    table.emplace_back();
    for (Cell& each : cells_of(overview, tab, at)) {
      table.back().push_back(each.text.empty() ? "-" : std::move(each.text));
    }
  }
  return to_table(table);
}

}  // namespace

std::vector<StyledLine> screen(const Scene& scene, const View& view) {
  const Rows rows = rows_of(scene.overview, view);
  const Parts parts = parts_of(scene, view);
  Lines lines = {head(scene, view), tab_line(scene, view)};
  for (std::size_t i = 0; i < parts.notes; ++i) {
    const std::size_t more = scene.notes.size() - parts.notes;
    std::string text = cell_text(scene.notes[i]);
    if (i + 1 == parts.notes && more > 0) text += " (and " + std::to_string(more) + " more)";
    lines.push_back({{std::move(text), Style::Warning}});
  }
  if (view.shows_keys) {
    add_lines(key_texts(view.width), view.detail_first, key_height(parts), lines);
  } else {
    add_table(scene, view, rows, parts, lines);
    add_detail(scene, view, rows, parts.detail, lines);
  }
  lines.push_back(foot(scene, view, rows));
  lines.push_back(key_line(view));
  lines.resize(view.height);
  for (StyledLine& each : lines) fit(each, view.width);
  return lines;
}

std::size_t unseen_lines(const Scene& scene, const View& view) {
  const Parts parts = parts_of(scene, view);
  std::size_t lines = 0;
  std::size_t height = view.shows_keys ? key_height(parts) : parts.detail;
  if (view.shows_keys) {
    lines = key_texts(view.width).size();
  } else if (const Rows rows = rows_of(scene.overview, view); view.has_detail && !rows.empty()) {
    const std::size_t at = rows[selected_in(scene.overview, view, rows)];
    lines = detail_lines(scene, view.tab, at, view.width).size() + 1;
  }
  return lines - std::min(lines, height);
}

std::size_t first_row(std::size_t first, std::size_t selected, std::size_t rows, std::size_t page) {
  if (page == 0) return selected;
  const std::size_t last = rows > page ? rows - page : 0;
  const std::size_t least = selected + 1 > page ? selected + 1 - page : 0;
  return std::clamp(std::min(first, last), least, std::max(least, selected));
}

std::size_t page_of(const Scene& scene, const View& view) {
  return std::max<std::size_t>(parts_of(scene, view).table, 1);
}

std::string wanted_pod(const policy::Overview& overview, const View& view) {
  if (!view.has_detail) return "";
  const Rows rows = rows_of(overview, view);
  if (rows.empty()) return "";
  return std::string(pod_of(overview, view.tab, rows[selected_in(overview, view, rows)]));
}

std::string plain_tables(const Scene& scene, const View& view) {
  std::string text;
  for (std::size_t i = 0; i < kTabs; ++i) {
    View of = view;
    of.tab = Tab{static_cast<std::uint8_t>(i)};
    const Rows rows = rows_of(scene.overview, of);
    if (rows.empty() && of.tab != Tab::Nodes) continue;
    text += (text.empty() ? "" : "\n") + plain_table(scene.overview, of.tab, rows);
  }
  return text;
}

}  // namespace elbowroom::cli::top
