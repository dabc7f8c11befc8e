#include "cli/doctor/line_edit.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>

namespace elbowroom::cli {
namespace {

constexpr const char* kVersionLine = "apiVersion: elbowroom.dev/v1alpha1";

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

bool is_key(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_';
  });
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
  const std::string at = std::to_string(line);
  std::vector<LineEdit> edits;
  const std::string meant(between(message, "did you mean ", "?"));
  const std::string key = old.substr(0, old.find(':'));
  if (is_key(meant) && is_key(key)) {
    edits.push_back(
        {line, meant + old.substr(key.size()), false, at + "s/" + key + "/" + meant + "/"});
  }
  const auto have = [&](const std::string& header) {
    edits.push_back({line, header, false, at + "c\\" + header});
    edits.push_back({line, header, true, at + "i\\" + header});
  };
  if (message.contains(": apiVersion")) have(kVersionLine);
  if (message.contains(": kind")) have("kind: " + std::string(kind));
  edits.push_back({line, "# " + old, false, at + "s/^/# /"});
  return edits;
}

std::string edited(std::string_view text, const LineEdit& edit) {
  const std::size_t begin = begin_of(text, edit.line);
  const std::size_t end = edit.is_inserted ? begin : begin + line_at(text, edit.line).size();
  return std::string(text.substr(0, begin)) + edit.text + (edit.is_inserted ? "\n" : "") +
         std::string(text.substr(end));
}

}  // namespace elbowroom::cli
