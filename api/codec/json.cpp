#include "api/codec/json.h"

#include <algorithm>
#include <charconv>

#include "base/json_escape.h"
#include "base/utf8.h"

namespace elbowroom::api {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

// For UTF-8 text.
bool is_escaped(char c) { return !is_plain_in_json(c) && static_cast<unsigned char>(c) < 0x80; }

void write_clean_text(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const auto plain =
        static_cast<std::size_t>(std::ranges::find_if(text, is_escaped) - text.begin());
    out.append(text.substr(0, plain));
    if (plain == text.size()) return;
    const auto byte = static_cast<unsigned char>(text[plain]);
    if (byte == '"' || byte == '\\') {
      out += '\\';
      out += text[plain];
    } else {
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 0xf];
    }
    text.remove_prefix(plain + 1);
  }
}

void write_text(std::string& out, std::string_view text) {
  out += '"';
  if (is_plain_in_json(text)) {  // nearly always
    out.append(text).append(1, '"');
    return;
  }
  while (true) {
    const std::size_t valid = first_invalid_utf8(text);
    write_clean_text(out, text.substr(0, valid));
    if (valid >= text.size()) break;
    out += "\xef\xbf\xbd";
    text.remove_prefix(valid + 1);
  }
  out += '"';
}

// Depth is bounded by the builder of the value: parsers stop at DocumentLimits::depth.
void write(std::string& out, const Value& value) {  // NOLINT(misc-no-recursion): bounded depth
  switch (value.kind) {
    case Value::Kind::Null:
      out += "null";
      return;
    case Value::Kind::Bool:
    case Value::Kind::Number:
      out += value.text;
      return;
    case Value::Kind::String:
      write_text(out, value.text);
      return;
    case Value::Kind::List:
      out += '[';
      for (const Value& item : value.items) {
        if (&item != &value.items.front()) out += ',';
        write(out, item);
      }
      out += ']';
      return;
    case Value::Kind::Map:
      out += '{';
      for (const Member& member : value.members) {
        if (&member != &value.members.front()) out += ',';
        write_text(out, member.key);
        out += ':';
        write(out, member.value);
      }
      out += '}';
      return;
  }
}

Value of_kind(Value::Kind kind, std::string text) {
  Value value;
  value.kind = kind;
  value.text = std::move(text);
  return value;
}

}  // namespace

std::string to_json(const Value& value) {
  std::string out;
  write(out, value);
  return out;
}

Value json_text(std::string text) { return of_kind(Value::Kind::String, std::move(text)); }
Value json_number(std::int64_t number) {
  return of_kind(Value::Kind::Number, std::to_string(number));
}
Value json_bool(bool truth) { return of_kind(Value::Kind::Bool, truth ? "true" : "false"); }

Value json_list(std::vector<Value> items) {
  Value value = of_kind(Value::Kind::List, "");
  value.items = std::move(items);
  return value;
}

Value json_map(std::initializer_list<JsonMember> members) {
  Value value = of_kind(Value::Kind::Map, "");
  value.members.reserve(members.size());
  for (const JsonMember& each : members) {
    value.members.push_back({std::string(each.key), {}, std::move(each.value)});
  }
  return value;
}

void set_member(Value& map, std::string_view key, Value value) {
  const auto found = std::ranges::find(map.members, key, &Member::key);
  if (found != map.members.end()) {
    found->value = std::move(value);
  } else {
    map.members.push_back({std::string(key), {}, std::move(value)});
  }
}

void drop_member(Value& map, std::string_view key) {
  std::erase_if(map.members, [&](const Member& member) { return member.key == key; });
}

std::string_view text_at(const Value& map, std::string_view key) {
  const Value* found = map.find(key);
  return found != nullptr && found->kind == Value::Kind::String ? std::string_view(found->text)
                                                                : std::string_view();
}

const Value* value_at(const Value& map, std::initializer_list<std::string_view> path) {
  const Value* at = &map;
  for (const std::string_view key : path) {
    at = at->find(key);
    if (at == nullptr) return nullptr;
  }
  return at;
}

std::int64_t integer_at(const Value& map, std::string_view key, std::int64_t otherwise) {
  const Value* found = map.find(key);
  if (found == nullptr || found->kind != Value::Kind::Number) return otherwise;
  std::int64_t number = 0;
  const char* end = found->text.data() + found->text.size();
  const auto [rest, wrong] = std::from_chars(found->text.data(), end, number);
  return wrong == std::errc() && rest == end ? number : otherwise;
}

}  // namespace elbowroom::api
