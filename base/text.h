// Makes text from outside safe for a terminal, a log or a page. The output is valid UTF-8 of at
// most 64 KiB without control characters other than newline and tab.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace elbowroom {

inline constexpr std::size_t kMaxTextBytes = std::size_t{64} << 10;

// Control characters (C0, DEL, C1), overrides of the writing direction, line separators and bytes
// that are not UTF-8 become \xNN, byte by byte; newline and tab stay. A text longer than 64 KiB
// ends in "...".
[[nodiscard]] std::string sanitize(std::string_view text);

// The same on one line: newline and tab become \x0a and \x09 too.
[[nodiscard]] std::string sanitize_line(std::string_view text);

// The text if it has at most `most` bytes. Otherwise it is cut between characters, with room for
// "...". Requires most >= 3.
[[nodiscard]] std::string clipped(std::string_view text, std::size_t most);

}  // namespace elbowroom
