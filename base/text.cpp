#include "base/text.h"

#include <algorithm>
#include <cstdint>

#include "base/utf8.h"

namespace elbowroom {
namespace {

constexpr std::string_view kEllipsis = "...";

std::uint8_t byte_of(char c) { return static_cast<std::uint8_t>(c); }

// The length in bytes of the character that begins here. Requires valid UTF-8.
std::size_t length_at(std::string_view text) {
  const std::uint8_t lead = byte_of(text[0]);
  if (lead < 0x80) return 1;
  if (lead < 0xE0) return 2;
  return lead < 0xF0 ? 3 : 4;
}

// U+0080..U+009F, and invisible characters that change the direction or the line: U+200E, U+200F,
// U+2028..U+202E, U+2066..U+2069, U+061C, U+FEFF.
bool is_unseen(std::string_view character) {
  const std::uint8_t first = byte_of(character[0]);
  const std::uint8_t second = character.size() > 1 ? byte_of(character[1]) : 0;
  const std::uint8_t third = character.size() > 2 ? byte_of(character[2]) : 0;
  if (first == 0xC2) return second < 0xA0;
  if (first == 0xD8) return second == 0x9C;
  if (first == 0xEF) return second == 0xBB && third == 0xBF;
  if (first != 0xE2) return false;
  if (second == 0x80) return third == 0x8E || third == 0x8F || (third >= 0xA8 && third <= 0xAE);
  return second == 0x81 && third >= 0xA6 && third <= 0xA9;
}

bool is_control(char c) { return byte_of(c) < 0x20 || byte_of(c) == 0x7F; }

void append_escaped(std::string& to, std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const char c : bytes) {
    to += "\\x";
    to += kDigits[byte_of(c) >> 4];
    to += kDigits[byte_of(c) & 15];
  }
}

std::string sanitized(std::string_view text, bool one_line) {
  const bool cut = text.size() > kMaxTextBytes;
  if (cut) text = text.substr(0, kMaxTextBytes);
  std::string out;
  out.reserve(text.size());
  while (!text.empty() && out.size() < kMaxTextBytes) {
    const std::size_t valid = first_invalid_utf8(text);
    std::string_view good = text.substr(0, valid);
    while (!good.empty()) {
      const std::string_view character = good.substr(0, length_at(good));
      const char c = character[0];
      const bool kept = !one_line && (c == '\n' || c == '\t');
      if ((is_control(c) && !kept) || is_unseen(character)) {
        append_escaped(out, character);
      } else {
        out += character;
      }
      good.remove_prefix(character.size());
    }
    text.remove_prefix(valid);
    if (text.empty()) break;
    append_escaped(out, text.substr(0, 1));
    text.remove_prefix(1);
  }
  return cut ? clipped(out + std::string(kEllipsis), kMaxTextBytes) : clipped(out, kMaxTextBytes);
}

}  // namespace

std::string clipped(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  std::size_t end = most - kEllipsis.size();
  while (end > 0 && (byte_of(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + std::string(kEllipsis);
}

std::string sanitize(std::string_view text) { return sanitized(text, false); }

std::string sanitize_line(std::string_view text) { return sanitized(text, true); }

}  // namespace elbowroom
