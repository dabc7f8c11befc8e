// Which characters need no escape in a JSON string: printable ASCII except the quotation mark and
// the backslash. Nearly every text has only these.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace elbowroom {

inline constexpr std::array<bool, 256> kPlainInJson = [] {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < 0x7F; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

constexpr bool is_plain_in_json(char c) { return kPlainInJson[static_cast<unsigned char>(c)]; }

// True if all eight bytes are plain.
inline bool are_plain_in_json(const char* bytes) {
  constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101U;
  constexpr std::uint64_t kHighs = kOnes * 0x80;
  std::uint64_t eight = 0;
  std::memcpy(&eight, bytes, sizeof eight);
  const auto has = [eight](std::uint64_t byte) {
    const std::uint64_t zero_there = eight ^ (kOnes * byte);
    return (zero_there - kOnes) & ~zero_there;
  };
  const std::uint64_t below_space = (eight - kOnes * 0x20) & ~eight;
  return ((eight | below_space | has('"') | has('\\') | has(0x7F)) & kHighs) == 0;
}

inline bool is_plain_in_json(std::string_view text) {
  if (text.size() < 8) {
    return std::ranges::all_of(text, [](char c) { return is_plain_in_json(c); });
  }
  const char* const last = text.data() + text.size() - 8;  // may overlap the previous eight bytes
  for (const char* at = text.data(); at < last; at += 8) {
    if (!are_plain_in_json(at)) return false;
  }
  return are_plain_in_json(last);
}

}  // namespace elbowroom
