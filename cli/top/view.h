// What a person has chosen to see: it changes by keys only, and by the size of the terminal.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace elbowroom::cli::top {

enum class Tab : std::uint8_t { Nodes, Resizes, Leaving, Budgets, Removals };
inline constexpr std::size_t kTabs = 5;

// Of one tab.
struct TabView {
  std::size_t sort = 0;  // in sorts_of(tab)
  bool is_reversed = false;
  // The selected row: by its key, which outlives a change of the order; where there is no row of
  // that key (any more), by its place.
  std::string key{};
  std::size_t place = 0;
  std::size_t first = 0;  // the row at the top

  friend bool operator==(const TabView&, const TabView&) = default;
};

struct View {
  Tab tab = Tab::Nodes;
  std::array<TabView, kTabs> tabs{};
  std::string filter{};    // rows whose names contain it, in any case; at most kMostFilter bytes
  bool is_typing = false;  // the filter
  bool has_detail = false;
  std::size_t detail_first = 0;  // the line of the detail at its top
  bool shows_keys = false;
  std::size_t width = 80;
  std::size_t height = 24;

  [[nodiscard]] TabView& of_tab() { return tabs[static_cast<std::size_t>(tab)]; }
  [[nodiscard]] const TabView& of_tab() const { return tabs[static_cast<std::size_t>(tab)]; }

  friend bool operator==(const View&, const View&) = default;
};

inline constexpr std::size_t kMostFilter = 100;

}  // namespace elbowroom::cli::top
