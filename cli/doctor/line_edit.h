// Edits of one line of a configuration file that may make it valid: the key that was meant, the
// word that has to stand there, or the line as a comment, so that the default counts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace elbowroom::cli {

struct LineEdit {
  int line = 0;              // from 1
  std::string text{};        // without a newline
  bool is_inserted = false;  // before that line, in place of replacing it
  std::string expression{};  // the same for sed; it has nothing of a value that stands there
};

// The line number in "FILE: line L" or "FILE: line L: WHY"; 0: none.
[[nodiscard]] int line_in(std::string_view message);

// For what is wrong with the text, by its message; the most likely first. `kind`: of its schema.
[[nodiscard]] std::vector<LineEdit> edits_for(std::string_view message, std::string_view text,
                                              std::string_view kind);

[[nodiscard]] std::string edited(std::string_view text, const LineEdit& edit);

}  // namespace elbowroom::cli
