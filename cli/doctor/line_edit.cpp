#include "cli/doctor/line_edit.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <utility>

#include "daemon/config/suggestion.h"

namespace elbowroom::cli {
namespace {

constexpr std::string_view kApiVersion = "elbowroom.dev/v1alpha1";
constexpr std::string_view kLineMark = ": line ";

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

// "KEY: VALUE" from the first column on; otherwise both are empty.
struct Entry {
  std::string key{};
  std::string_view value{};  // without quotes and comment
};

Entry entry_in(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_key(line.substr(0, colon))) return {};
  std::string_view value = line.substr(colon + 1);
  value = value.substr(0, value.find(" #"));
  constexpr std::string_view kAround = " \t\r'\"";
  const std::size_t first = std::min(value.find_first_not_of(kAround), value.size());
  value.remove_prefix(first);
  value = value.substr(0, value.find_last_not_of(kAround) + 1);
  return {.key = std::string(line.substr(0, colon)), .value = value};
}

// What the message says behind file and line.
std::string_view objection_in(std::string_view message) {
  const std::size_t mark = message.find(kLineMark);
  if (mark == std::string_view::npos) return message;
  const std::size_t end = message.find(": ", mark + kLineMark.size());
  return end == std::string_view::npos ? std::string_view() : message.substr(end + 2);
}

// Whether more lines belong to the entry in that line.
bool goes_on(std::string_view text, int line) {
  text.remove_prefix(begin_of(text, line + 1));
  while (text.starts_with('\n') || text.starts_with('#')) {
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  return text.starts_with(' ') || text.starts_with('\t') || text.starts_with('-');
}

bool is_near(std::string_view word, std::string_view known) {
  return daemon::closest(word, std::array{known}).has_value();
}

LineEdit replacement(int line, std::string text) {
  std::string expression = std::to_string(line) + "c\\" + text;
  return {line, std::move(text), false, std::move(expression)};
}

LineEdit header_edit(int line, const Entry& found, std::string_view name, std::string text,
                     const daemon::Key* known) {
  const bool is_meant = found.key == name || (known == nullptr && is_near(found.key, name));
  if (is_meant) return replacement(line, std::move(text));
  std::string expression = std::to_string(line) + "i\\" + text;
  return {line, std::move(text), true, std::move(expression)};
}

std::optional<LineEdit> unknown_key_edit(std::string_view message, std::string_view text, int line,
                                         const std::string& key) {
  const std::string old(line_at(text, line));
  const std::string at = std::to_string(line);
  const std::string meant(between(message, "did you mean ", "?"));
  if (is_key(meant)) {
    return LineEdit{line, meant + old.substr(key.size()), false,
                    at + "s/" + key + "/" + meant + "/"};
  }
  if (!meant.empty() || goes_on(text, line)) return std::nullopt;
  return LineEdit{line, "# " + old, false, at + "s/^/# /"};
}

std::optional<LineEdit> value_edit(int line, const Entry& found, const daemon::Key& key) {
  if (!is_key(found.value)) return std::nullopt;
  std::vector<std::string_view> near = values_of(key);
  std::erase_if(near, [&](std::string_view each) { return !is_near(found.value, each); });
  if (near.size() != 1) return std::nullopt;
  return replacement(line, found.key + ": " + std::string(near.front()));
}

const daemon::Key* find(const daemon::Schema& schema, std::string_view name) {
  const auto found = std::ranges::find(schema.keys, name, &daemon::Key::name);
  return found == schema.keys.end() ? nullptr : &*found;
}

}  // namespace

int line_in(std::string_view message) {
  const std::size_t at = message.find(kLineMark);
  if (at == std::string_view::npos) return 0;
  int line = 0;
  const char* const first = message.data() + at + kLineMark.size();
  (void)std::from_chars(first, message.data() + message.size(), line);
  return std::max(line, 0);
}

std::string key_in(std::string_view message) {
  const std::string_view objection = objection_in(message);
  const std::string_view key = objection.substr(0, objection.find(": "));
  return is_key(key) ? std::string(key) : "";
}

std::vector<std::string_view> values_of(const daemon::Key& key) {
  if (key.kind == daemon::Key::Kind::Bool) return {"true", "false"};
  return key.choices;
}

std::optional<LineEdit> edit_for(std::string_view message, std::string_view text,
                                 const daemon::Schema& schema) {
  const int line = line_in(message);
  if (line == 0) return std::nullopt;
  const Entry found = entry_in(line_at(text, line));
  const daemon::Key* const known = find(schema, found.key);
  const std::string_view objection = objection_in(message);
  for (const auto& [name, wanted] :
       {std::pair{"apiVersion", kApiVersion}, std::pair{"kind", schema.kind}}) {
    const std::string header = std::string(name) + ": " + std::string(wanted);
    const bool is_it =
        key_in(message) == name || objection.starts_with(std::string(name) + " is missing");
    if (is_it) return header_edit(line, found, name, header, known);
  }
  if (found.key.empty()) return std::nullopt;
  if (known != nullptr) {
    return key_in(message) == found.key ? value_edit(line, found, *known) : std::nullopt;
  }
  const bool is_told = objection.starts_with("unknown key \"" + found.key + "\"");
  return is_told ? unknown_key_edit(message, text, line, found.key) : std::nullopt;
}

std::string edited(std::string_view text, const LineEdit& edit) {
  const std::size_t begin = begin_of(text, edit.line);
  const std::size_t end = edit.is_inserted ? begin : begin + line_at(text, edit.line).size();
  return std::string(text.substr(0, begin)) + edit.text + (edit.is_inserted ? "\n" : "") +
         std::string(text.substr(end));
}

}  // namespace elbowroom::cli
