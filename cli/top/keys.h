// What keys do to the view.
#pragma once

#include <cstdint>
#include <string_view>

#include "cli/top/screen.h"
#include "cli/top/view.h"

namespace elbowroom::cli::top {

// A key that types no character.
enum class Special : std::uint8_t {
  None,
  Up,
  Down,
  Left,
  Right,
  PageUp,
  PageDown,
  Home,
  End,
  Enter,
  Escape,
  Tab,
  BackTab,
  Backspace,
  Redraw,
  Interrupt
};

struct Key {
  Special special = Special::None;
  char character = 0;  // printable ASCII where it is no special key
};

// Changes the view; true where the program is to end.
[[nodiscard]] bool press(const Key& key, const Scene& scene, View& view);

// Keeps the selected row in sight where rows came or went.
void settle(const Scene& scene, View& view);

// Sorts each tab that knows the word by it; false where no tab does.
[[nodiscard]] bool sort_by(std::string_view word, View& view);

}  // namespace elbowroom::cli::top
