#include "base/utf8.h"

#include <cstdint>
#include <cstring>

namespace elbowroom {
namespace {

// What a lead byte determines: the number of bytes that follow, and the bounds of the first of them
// (the only one that distinguishes overlong forms, surrogates and too large code points from valid
// ones).
struct Lead {
  std::size_t followers = 0;
  std::uint8_t low = 0x80;
  std::uint8_t high = 0xBF;
  bool valid = true;
};

Lead lead_of(std::uint8_t byte) {
  if (byte < 0x80) return {};
  if (byte >= 0xC2 && byte <= 0xDF) return {.followers = 1};
  if (byte == 0xE0) return {.followers = 2, .low = 0xA0};
  if (byte == 0xED) return {.followers = 2, .high = 0x9F};
  if (byte >= 0xE1 && byte <= 0xEF) return {.followers = 2};
  if (byte == 0xF0) return {.followers = 3, .low = 0x90};
  if (byte >= 0xF1 && byte <= 0xF3) return {.followers = 3};
  if (byte == 0xF4) return {.followers = 3, .high = 0x8F};
  return {.valid = false};
}

}  // namespace

std::size_t first_invalid_utf8(std::string_view text) {
  const auto byte_at = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  std::size_t at = 0;
  while (at < text.size()) {
    // Most text is ASCII, so it is checked eight bytes at a time.
    if (std::uint64_t eight = 0; text.size() - at >= sizeof eight) {
      std::memcpy(&eight, text.data() + at, sizeof eight);
      if ((eight & 0x8080'8080'8080'8080U) == 0) {
        at += sizeof eight;
        continue;
      }
    }
    const Lead lead = lead_of(byte_at(at));
    if (!lead.valid || lead.followers >= text.size() - at) return at;
    for (std::size_t i = 1; i <= lead.followers; ++i) {
      const std::uint8_t byte = byte_at(at + i);
      const std::uint8_t low = i == 1 ? lead.low : 0x80;
      const std::uint8_t high = i == 1 ? lead.high : 0xBF;
      if (byte < low || byte > high) return at;
    }
    at += 1 + lead.followers;
  }
  return text.size();
}

}  // namespace elbowroom
