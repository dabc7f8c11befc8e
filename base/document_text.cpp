#include "base/document_text.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/ascii_lower.h"
#include "base/json_escape.h"
#include "base/utf8.h"

namespace elbowroom {
namespace {

constexpr std::size_t kIndent = 2;

void append_unit(std::string& to, std::uint32_t code_point) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  to += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) to += kDigits[(code_point >> shift) & 15];
}

std::uint32_t byte_of(char c) { return static_cast<std::uint8_t>(c); }

// Characters that a terminal acts on without showing them, and that YAML does not allow unescaped:
// C1 controls, direction marks and overrides, line separators, the byte order mark.
bool needs_escape(std::uint32_t code_point) {
  return (code_point >= 0x7F && code_point < 0xA0) || code_point == 0x61C ||
         (code_point >= 0x200E && code_point <= 0x200F) ||
         (code_point >= 0x2028 && code_point <= 0x202E) ||
         (code_point >= 0x2066 && code_point <= 0x2069) || code_point == 0xFEFF ||
         (code_point >= 0xFFFE && code_point <= 0xFFFF);
}

// The code point of a character of two or three bytes. Four bytes need no escape here.
std::uint32_t code_point_of(std::string_view character) {
  if (character.size() == 2)
    return (byte_of(character[0]) & 31) << 6 | (byte_of(character[1]) & 63);
  if (character.size() != 3) return 0;
  return (byte_of(character[0]) & 15) << 12 | (byte_of(character[1]) & 63) << 6 |
         (byte_of(character[2]) & 63);
}

std::size_t length_of(char lead) {
  const std::uint32_t byte = byte_of(lead);
  if (byte < 0xC0) return 1;
  if (byte < 0xE0) return 2;
  return byte < 0xF0 ? 3 : 4;
}

// How many leading characters need neither an escape nor a closer look in JSON.
std::size_t plain_prefix(std::string_view text) {
  const auto plain = [](char c) { return is_plain_in_json(c); };
  return static_cast<std::size_t>(std::ranges::find_if_not(text, plain) - text.begin());
}

void append_ascii(std::string& to, char c) {
  switch (c) {
    case '"':
      to += "\\\"";
      return;
    case '\\':
      to += "\\\\";
      return;
    case '\n':
      to += "\\n";
      return;
    case '\t':
      to += "\\t";
      return;
    default:
      if (byte_of(c) < 0x20 || c == 0x7F) {
        append_unit(to, byte_of(c));
      } else {
        to += c;
      }
  }
}

void append_scalar(std::string& to, const Value& value) {
  if (value.kind == Value::Kind::Null) {
    to += "null";
  } else if (value.kind == Value::Kind::String) {
    append_json_text(to, value.text);
  } else {
    to += value.text;
  }
}

bool is_scalar(const Value& value) {
  return value.kind != Value::Kind::List && value.kind != Value::Kind::Map;
}
bool is_empty(const Value& value) { return value.items.empty() && value.members.empty(); }
std::string_view empty_form(const Value& value) {
  return value.kind == Value::Kind::List ? "[]" : "{}";
}

// `indented`: false for one line.
void append_json(std::string& to, const Value& value, std::size_t level, bool indented) {
  if (is_scalar(value)) return append_scalar(to, value);
  if (is_empty(value)) {
    to += empty_form(value);
    return;
  }
  const bool list = value.kind == Value::Kind::List;
  const auto line = [&](std::size_t depth) {
    if (indented) to.append("\n").append(depth * kIndent, ' ');
  };
  to += list ? '[' : '{';
  const std::size_t count = list ? value.items.size() : value.members.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) to += ',';
    line(level + 1);
    if (!list) {
      append_json_text(to, value.members[i].key);
      to += indented ? ": " : ":";
    }
    append_json(to, list ? value.items[i] : value.members[i].value, level + 1, indented);
  }
  line(level);
  to += list ? ']' : '}';
}

// Words that every YAML reader, 1.1 included, reads as plain text.
bool is_plain(std::string_view text) {
  static constexpr std::string_view kWords[] = {"y",   "n",    "yes",   "no",  "on",
                                                "off", "true", "false", "null"};
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto allowed = [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '/' || c == '-' || c == '.' || c == '_';
  };
  if (text.empty() || !letter(text[0]) || !std::ranges::all_of(text, allowed)) return false;
  return std::ranges::find(kWords, ascii_lower(text)) == std::end(kWords);
}

void append_yaml_text(std::string& to, std::string_view text) {
  if (is_plain(text)) {
    to += text;
  } else {
    append_json_text(to, text);
  }
}

// Appends the key and its colon. Readers look for the colon of a simple key only within 1024
// characters, so a longer one is marked as a key.
bool append_yaml_key(std::string& to, std::string_view text, std::size_t indent) {
  constexpr std::size_t kLongestSimpleKey = 1024;
  std::string key;
  append_yaml_text(key, text);
  const bool is_long = key.size() > kLongestSimpleKey;
  if (is_long) {
    to.append("? ").append(key).append("\n").append(indent, ' ');
  } else {
    to += key;
  }
  to += ':';
  return is_long;
}

// Appends the value after a key or a dash: on the same line for scalars, below it otherwise.
void append_yaml(std::string& to, const Value& value, std::size_t indent) {
  if (value.kind == Value::Kind::String) {
    append_yaml_text(to, value.text);
    to += '\n';
    return;
  }
  if (is_scalar(value)) {
    append_scalar(to, value);
    to += '\n';
    return;
  }
  if (is_empty(value)) {
    to.append(empty_form(value)).append("\n");
    return;
  }
  // The caller has written the indentation of the first line.
  bool first = true;
  const auto line = [&] {
    if (!first) to.append(indent, ' ');
    first = false;
  };
  for (const Value& item : value.items) {
    line();
    to += "- ";
    append_yaml(to, item, indent + kIndent);
  }
  for (const Member& each : value.members) {
    line();
    const bool is_long = append_yaml_key(to, each.key, indent);
    const bool below = !is_scalar(each.value) && !is_empty(each.value);
    // A list under a key has no further indentation, as kubectl prints it.
    const bool list = each.value.kind == Value::Kind::List && !is_long;
    const std::size_t inner = list ? indent : indent + kIndent;
    if (below) {
      to.append("\n").append(inner, ' ');
    } else {
      to += ' ';
    }
    append_yaml(to, each.value, inner);
  }
}

}  // namespace

// A JSON string, which is also a YAML double-quoted scalar.
void append_json_text(std::string& to, std::string_view text) {
  to += '"';
  while (!text.empty()) {
    const std::size_t plain = plain_prefix(text);
    to += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const std::size_t length = std::min(length_of(text[0]), text.size());
    const std::string_view character = text.substr(0, length);
    if (first_invalid_utf8(character) != length) {
      to += "\xEF\xBF\xBD";
      text.remove_prefix(1);
      continue;
    }
    if (length == 1) {
      append_ascii(to, character[0]);
    } else if (const auto code_point = code_point_of(character); needs_escape(code_point)) {
      append_unit(to, code_point);
    } else {
      to += character;
    }
    text.remove_prefix(length);
  }
  to += '"';
}

std::string to_json(const Value& value) {
  std::string out;
  append_json(out, value, 0, true);
  return out + "\n";
}

std::string to_json_line(const Value& value) {
  std::string out;
  append_json(out, value, 0, false);
  return out;
}

std::string to_yaml(const Value& value) {
  std::string out;
  append_yaml(out, value, 0);
  return out;
}

Value text_value(std::string text) {
  return {.kind = Value::Kind::String, .text = std::move(text)};
}
Value number_value(std::int64_t number) {
  return {.kind = Value::Kind::Number, .text = std::to_string(number)};
}
Value bool_value(bool truth) {
  return {.kind = Value::Kind::Bool, .text = truth ? "true" : "false"};
}
Value list_value(std::vector<Value> items) {
  return {.kind = Value::Kind::List, .items = std::move(items)};
}
Value map_value(std::vector<Member> members) {
  return {.kind = Value::Kind::Map, .members = std::move(members)};
}
Member member(std::string key, Value value) {
  return {.key = std::move(key), .at = {}, .value = std::move(value)};
}

}  // namespace elbowroom
