// A line of the screen: parts of printable ASCII, each in one style. What the styles look like is
// the terminal's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace elbowroom::cli::top {

enum class Style : std::uint8_t { Plain, Strong, Faint, Good, Warning, Bad, Bar, Chosen };

struct Span {
  std::string text{};
  Style style = Style::Plain;

  friend bool operator==(const Span&, const Span&) = default;
};

using StyledLine = std::vector<Span>;

// The text without its styles.
[[nodiscard]] inline std::string plain(const StyledLine& line) {
  std::string text;
  for (const Span& each : line) text += each.text;
  return text;
}

}  // namespace elbowroom::cli::top
