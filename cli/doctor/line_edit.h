// The edit of one line of a configuration file that makes it valid without changing what it asks
// for: the key or the value that was meant, a header that has to stand there, or an unknown key as
// a comment. A known key is never taken out: its default may do what the file forbids.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/config/config.h"

namespace elbowroom::cli {

struct LineEdit {
  int line = 0;              // from 1
  std::string text{};        // without a newline
  bool is_inserted = false;  // before that line, in place of replacing it
  std::string expression{};  // the same for sed; it has nothing of a value that stands there
};

// The line number in "FILE: line L" or "FILE: line L: WHY"; 0: none.
[[nodiscard]] int line_in(std::string_view message);

// The key in "FILE: line L: KEY: WHY" or "KEY: WHY"; "": it names none.
[[nodiscard]] std::string key_in(std::string_view message);

// Every value of a Bool or a Choice; empty: more than can be listed.
[[nodiscard]] std::vector<std::string_view> values_of(const daemon::Key& key);

// For what is wrong with the text, by its message; nothing where more than one edit is possible.
// The text with that edit may still be wrong.
[[nodiscard]] std::optional<LineEdit> edit_for(std::string_view message, std::string_view text,
                                               const daemon::Schema& schema);

[[nodiscard]] std::string edited(std::string_view text, const LineEdit& edit);

}  // namespace elbowroom::cli
