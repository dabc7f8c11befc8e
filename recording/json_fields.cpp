#include "recording/json_fields.h"

#include <algorithm>

#include "base/utf8.h"

namespace elbowroom::recording {
namespace {

constexpr char kArmour = '\x1A';
constexpr std::string_view kDigits = "0123456789abcdef";

void append_armoured(std::string& to, char c) {
  const auto byte = static_cast<unsigned char>(c);
  to += kArmour;
  to += kDigits[byte >> 4U];
  to += kDigits[byte & 15U];
}

std::string_view name_of(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::Null:
      return "null";
    case Value::Kind::Bool:
      return "true or false";
    case Value::Kind::Number:
      return "a number";
    case Value::Kind::String:
      return "a text";
    case Value::Kind::List:
      return "a list";
    case Value::Kind::Map:
      return "an object";
  }
  return "";
}

}  // namespace

std::string armoured(std::string_view text) {
  std::string made;
  while (!text.empty()) {
    const std::size_t plain =
        std::min(first_invalid_utf8(text), std::min(text.find(kArmour), text.size()));
    made += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    append_armoured(made, text.front());
    text.remove_prefix(1);
  }
  return made;
}

std::optional<std::string> bare(std::string_view text) {
  std::string made;
  for (;;) {
    const std::size_t at = text.find(kArmour);
    made += text.substr(0, at);
    if (at == std::string_view::npos) return made;
    if (text.size() - at < 3) return std::nullopt;
    const std::size_t high = kDigits.find(text[at + 1]);
    const std::size_t low = kDigits.find(text[at + 2]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    made += static_cast<char>(static_cast<unsigned char>(high << 4U | low));
    text.remove_prefix(at + 3);
  }
}

void FieldWriter::text(std::string_view text) {
  const bool plain =
      text.find(kArmour) == std::string_view::npos && first_invalid_utf8(text) == text.size();
  append_json_text(to_, plain ? text : std::string_view(armoured(text)));
}

bool FieldReader::expect(const Value& from, Value::Kind kind) {
  if (ok() && from.kind != kind) fail("is not " + std::string(name_of(kind)));
  return ok();
}

std::string FieldReader::unarmoured(const std::string& text) {
  auto meant = bare(text);
  if (!meant) fail("holds a control character 0x1A without two hex digits behind it");
  return std::move(meant).value_or("");
}

std::int64_t FieldReader::duration_count(const Value& from) {
  const auto count = number<std::int64_t>(from);
  if (count >= -kMostDuration && count <= kMostDuration) return count;
  fail("is more than " + std::to_string(kMostDuration));
  return 0;
}

void FieldReader::refuse_unknown() {
  if (!ok()) return;
  for (const Member& each : map_->members) {
    if (std::ranges::find(keys_, each.key) != keys_.end()) continue;
    fail("has a member \"" + each.key + "\" that this version does not know");
    return;
  }
}

}  // namespace elbowroom::recording
