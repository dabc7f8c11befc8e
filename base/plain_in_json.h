// Which characters stand in a JSON string as they are. The one thing to know: they are those of
// printable ASCII but for the quotation mark and the backslash, as nearly every text has no other.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace elbowroom {

inline constexpr std::array<bool, 256> kPlainInJson = [] {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < 0x7F; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

constexpr bool is_plain_in_json(char c) { return kPlainInJson[static_cast<unsigned char>(c)]; }
constexpr bool is_plain_in_json(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return is_plain_in_json(c); });
}

}  // namespace elbowroom
