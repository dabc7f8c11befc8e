#include "cli/doctor/line_edit.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace elbowroom::cli {
namespace {

constexpr std::string_view kVersionLine = "apiVersion: elbowroom.dev/v1alpha1";

// Where the line begins; the text's end where there is no such line.
std::size_t begin_of(std::string_view text, int line) {
  std::size_t at = 0;
  for (; line > 1 && at < text.size(); --line) {
    const std::size_t end = text.find('\n', at);
    at = end == std::string_view::npos ? text.size() : end + 1;
  }
  return at;
}

std::string_view line_at(std::string_view text, int line) {
  text.remove_prefix(begin_of(text, line));
  return text.substr(0, text.find('\n'));
}

// The word between the two; "": not there.
std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
  const std::size_t at = text.find(before);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + before.size());
  const std::size_t end = text.find(after);
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end);
}

}  // namespace

int line_in(std::string_view message) {
  constexpr std::string_view kMark = ": line ";
  const std::size_t at = message.find(kMark);
  if (at == std::string_view::npos) return 0;
  int line = 0;
  const char* const first = message.data() + at + kMark.size();
  (void)std::from_chars(first, message.data() + message.size(), line);
  return std::max(line, 0);
}

std::vector<LineEdit> edits_for(std::string_view message, std::string_view text,
                                std::string_view kind) {
  const int line = line_in(message);
  if (line == 0) return {};
  const std::string old(line_at(text, line));
  std::vector<LineEdit> edits;
  const std::size_t colon = old.find(':');
  if (const auto meant = between(message, "did you mean ", "?");
      !meant.empty() && colon != std::string::npos) {
    edits.push_back({line, std::string(meant) + old.substr(colon)});
  }
  const std::string kind_line = "kind: " + std::string(kind);
  if (message.contains(": apiVersion")) {
    edits.push_back({line, std::string(kVersionLine)});
    edits.push_back({line, std::string(kVersionLine), true});
  }
  if (message.contains(": kind")) {
    edits.push_back({line, kind_line});
    edits.push_back({line, kind_line, true});
  }
  edits.push_back({line, "# " + old});
  return edits;
}

std::string edited(std::string_view text, const LineEdit& edit) {
  const std::size_t begin = begin_of(text, edit.line);
  const std::size_t end = edit.is_inserted ? begin : begin + line_at(text, edit.line).size();
  return std::string(text.substr(0, begin)) + edit.text + (edit.is_inserted ? "\n" : "") +
         std::string(text.substr(end));
}

// After "\" a text begins; a backslash in it would be taken away.
std::string sed_expression(const LineEdit& edit) {
  std::string expression = std::to_string(edit.line) + (edit.is_inserted ? "i\\" : "c\\");
  for (const char c : edit.text) expression += c == '\\' ? std::string("\\\\") : std::string(1, c);
  return expression;
}

}  // namespace elbowroom::cli
