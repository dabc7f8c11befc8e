#include "cli/top/keys.h"

#include <algorithm>
#include <cstddef>
#include <string>

namespace elbowroom::cli::top {
namespace {

constexpr std::size_t kDetailStep = 5;

void select(const Scene& scene, std::size_t place, const Rows& rows, View& view) {
  TabView& of = view.of_tab();
  if (rows.empty()) return;
  const std::size_t to = std::min(place, rows.size() - 1);
  if (to != of.place) view.detail_first = 0;
  of.place = to;
  of.key = key_of(scene.overview, view.tab, rows[to]);
}

// Up where `by` is below zero.
void move(const Scene& scene, std::ptrdiff_t by, View& view) {
  const Rows rows = rows_of(scene.overview, view);
  const auto at = static_cast<std::ptrdiff_t>(selected_in(scene.overview, view, rows));
  select(scene, static_cast<std::size_t>(std::max<std::ptrdiff_t>(at + by, 0)), rows, view);
}

void show(std::size_t tab, View& view) {
  view.tab = Tab{static_cast<std::uint8_t>(tab % kTabs)};
  view.detail_first = 0;
}

// The next table, or with kTabs - 1 the one before.
void turn(std::size_t by, View& view) { show(static_cast<std::size_t>(view.tab) + by, view); }

void sort_next(std::size_t by, View& view) {
  TabView& of = view.of_tab();
  of.sort = (of.sort + by) % sorts_of(view.tab).size();
  of.is_reversed = false;
}

void scroll(bool is_down, View& view) {
  if (is_down) {
    view.detail_first += kDetailStep;  // settle() keeps it among the lines
  } else {
    view.detail_first -= std::min(view.detail_first, kDetailStep);
  }
}

void escape(View& view) {
  if (view.shows_keys) {
    view.shows_keys = false;
  } else if (view.has_detail) {
    view.has_detail = false;
  } else {
    view.filter.clear();
  }
}

void type(const Key& key, View& view) {
  if (key.special == Special::Enter) view.is_typing = false;
  if (key.special == Special::Escape) {
    view.is_typing = false;
    view.filter.clear();
  }
  if (key.special == Special::Backspace && !view.filter.empty()) view.filter.pop_back();
  const bool is_typed = key.special == Special::None && view.filter.size() < kMostFilter;
  if (is_typed) view.filter += key.character;
}

bool press_special(Special key, const Scene& scene, View& view) {
  const auto page = static_cast<std::ptrdiff_t>(page_of(scene, view));
  const auto all = static_cast<std::ptrdiff_t>(size_of(scene.overview, view.tab));
  switch (key) {
    case Special::Up:
      move(scene, -1, view);
      break;
    case Special::Down:
      move(scene, 1, view);
      break;
    case Special::PageUp:
      move(scene, -page, view);
      break;
    case Special::PageDown:
      move(scene, page, view);
      break;
    case Special::Home:
      move(scene, -all, view);
      break;
    case Special::End:
      move(scene, all, view);
      break;
    case Special::Left:
    case Special::BackTab:
      turn(kTabs - 1, view);
      break;
    case Special::Right:
    case Special::Tab:
      turn(1, view);
      break;
    case Special::Enter:
      view.has_detail = !view.has_detail;
      view.detail_first = 0;
      break;
    case Special::Escape:
      escape(view);
      break;
    case Special::None:
    case Special::Backspace:
    case Special::Redraw:
    case Special::Interrupt:
      break;
  }
  return false;
}

bool press_character(char key, const Scene& scene, View& view) {
  switch (key) {
    case 'q':
      return true;
    case 'j':
      move(scene, 1, view);
      break;
    case 'k':
      move(scene, -1, view);
      break;
    case 's':
      sort_next(1, view);
      break;
    case 'S':
      sort_next(sorts_of(view.tab).size() - 1, view);
      break;
    case 'r':
      view.of_tab().is_reversed = !view.of_tab().is_reversed;
      break;
    case '/':
      view.is_typing = true;
      break;
    case '?':
    case 'h':
      view.shows_keys = !view.shows_keys;
      view.detail_first = 0;
      break;
    case '+':
    case ' ':
    case '-':
      scroll(key != '-', view);
      break;
    default:
      if (key >= '1' && key < static_cast<char>('1' + kTabs)) {
        show(static_cast<std::size_t>(key - '1'), view);
      }
  }
  return false;
}

}  // namespace

bool press(const Key& key, const Scene& scene, View& view) {
  if (key.special == Special::Interrupt) return true;
  bool ends = false;
  if (view.is_typing) {
    type(key, view);
  } else if (key.special != Special::None) {
    ends = press_special(key.special, scene, view);
  } else {
    ends = press_character(key.character, scene, view);
  }
  settle(scene, view);
  return ends;
}

void settle(const Scene& scene, View& view) {
  const Rows rows = rows_of(scene.overview, view);
  TabView& of = view.of_tab();
  of.place = selected_in(scene.overview, view, rows);
  of.first = first_row(of.first, of.place, rows.size(), page_of(scene, view));
  view.detail_first = std::min(view.detail_first, unseen_lines(scene, view));
}

bool sort_by(std::string_view word, View& view) {
  bool is_known = false;
  for (std::size_t i = 0; i < kTabs; ++i) {
    const auto sorts = sorts_of(Tab{static_cast<std::uint8_t>(i)});
    const auto found = std::ranges::find(sorts, word);
    if (found == sorts.end()) continue;
    view.tabs[i].sort = static_cast<std::size_t>(found - sorts.begin());
    is_known = true;
  }
  return is_known;
}

}  // namespace elbowroom::cli::top
