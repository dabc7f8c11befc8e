#include "lab/world/json.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "base/json_escape.h"

namespace elbowroom::lab {
namespace {

// How deeply brackets nest, except those inside strings.
std::size_t depth_of(std::string_view text) {
  std::size_t depth = 0;
  std::size_t deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
      continue;
    }
    if (c == '"') in_string = true;
    if (c == '{' || c == '[') deepest = std::max(deepest, ++depth);
    if ((c == '}' || c == ']') && depth > 0) --depth;
  }
  return deepest;
}

// The library's spelling of any value.
std::string spelled(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string spelled_scalar(const Json& json) {
  if (json.is_null()) return "null";
  if (json.is_boolean()) return json.get<bool>() ? "true" : "false";
  if (json.is_number_unsigned()) return std::to_string(json.get<std::uint64_t>());
  return json.is_number_integer() ? std::to_string(json.get<std::int64_t>()) : spelled(json);
}

// The text in quotes, followed by a character; '\0': none. Nearly every text needs no escape.
void append_quoted(const std::string& text, char behind, std::string& out) {
  if (!is_plain_in_json(text)) [[unlikely]] {
    out += spelled(text);
    if (behind != '\0') out += behind;
    return;
  }
  const std::size_t begin = out.size();
  const std::size_t end = begin + text.size() + (behind == '\0' ? 2 : 3);
  out.resize_and_overwrite(end, [&](char* bytes, std::size_t) {
    char* const at = bytes + begin;
    *at = '"';
    std::memcpy(at + 1, text.data(), text.size());
    at[text.size() + 1] = '"';
    if (behind != '\0') at[text.size() + 2] = behind;
    return end;
  });
}

// The same bytes as spelled(), several times as fast: every object of the world is written here.
// parse_object() bounds the depth of the input, so this may recurse.
void append(const Json& json, std::string& out) {
  char separator = '{';
  switch (json.type()) {
    case Json::value_t::object:
      for (const auto& [key, member] : json.get_ref<const Json::object_t&>()) {
        out += std::exchange(separator, ',');
        append_quoted(key, ':', out);
        append(member, out);
      }
      out += json.empty() ? "{}" : "}";
      return;
    case Json::value_t::array:
      separator = '[';
      for (const Json& item : json.get_ref<const Json::array_t&>()) {
        out += std::exchange(separator, ',');
        append(item, out);
      }
      out += json.empty() ? "[]" : "]";
      return;
    case Json::value_t::string:
      return append_quoted(json.get_ref<const std::string&>(), '\0', out);
    default:
      out += spelled_scalar(json);
  }
}

// Nearly every number is short and unsigned. A number that JSON cannot spell stays text.
Json number_of(const std::string& text) {
  std::uint64_t number = 0;
  const bool may_be_octal = text.starts_with('0') && text.size() > 1;
  const char* const end = text.data() + text.size();
  const auto [rest, wrong] = std::from_chars(text.data(), end, number);
  if (wrong == std::errc() && rest == end && !may_be_octal) return number;
  Json other = Json::parse(text, nullptr, false);
  return other.is_number() ? other : Json(text);
}

// The value at `place` of the filter; without a filter, everything.
void fill(const Json& json, const JsonFilter* json_filter, JsonFilter::Place place, Value& value) {
  switch (json.type()) {
    case Json::value_t::object:
      value.kind = Value::Kind::Map;
      value.members.reserve(json.size());
      for (const auto& [key, from] : json.get_ref<const Json::object_t&>()) {
        const JsonFilter::Place below =
            json_filter == nullptr ? nullptr : json_filter->member(place, key);
        if (json_filter != nullptr && below == nullptr) continue;
        Member& member = value.members.emplace_back(key);
        fill(from, json_filter, below, member.value);
      }
      return;
    case Json::value_t::array:
      value.kind = Value::Kind::List;
      value.items.reserve(json.size());
      for (const Json& item : json.get_ref<const Json::array_t&>()) {
        fill(item, json_filter, place, value.items.emplace_back());
      }
      return;
    case Json::value_t::string:
      value.kind = Value::Kind::String;
      value.text = json.get_ref<const std::string&>();
      return;
    case Json::value_t::null:
    case Json::value_t::discarded:
      return;
    default:
      value.kind = json.is_boolean() ? Value::Kind::Bool : Value::Kind::Number;
      value.text = spelled_scalar(json);
  }
}

}  // namespace

Result<Json> parse_object(std::string_view text) {
  if (text.size() > kMaxJsonBytes) return failure(Code::Invalid, "the body is larger than 3 MiB");
  // Costs half as much as the library. Input that it refuses, such as a duplicate key, goes to the
  // library for the error.
  if (const auto document = parse_json(text, {.bytes = kMaxJsonBytes, .depth = kMaxJsonDepth});
      document && document->kind == Value::Kind::Map) {
    return to_tree(*document);
  }
  if (depth_of(text) > kMaxJsonDepth) {
    return failure(Code::Invalid, "the body is nested deeper than 64 levels");
  }
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return failure(Code::Invalid, "the body is not JSON");
  if (!json.is_object()) return failure(Code::Invalid, "the body is not a JSON object");
  return json;
}

std::string to_text(const Json& json) {
  std::string text;
  append(json, text);
  return text;
}

Value to_value(const Json& json) {
  Value value;
  fill(json, nullptr, nullptr, value);
  return value;
}

Value to_value(const Json& json, const JsonFilter& json_filter) {
  Value value;
  fill(json, &json_filter, json_filter.root(), value);
  return value;
}

void destroy_from_leaves(Json& json) {
  const auto each = [](Json& below) {
    if (below.is_structured()) destroy_from_leaves(below);
  };
  if (auto* map = json.get_ptr<Json::object_t*>()) {
    for (auto& [key, below] : *map) each(below);
    map->clear();
  } else if (auto* list = json.get_ptr<Json::array_t*>()) {
    for (Json& below : *list) each(below);
    list->clear();
  }
}

Json to_tree(const Value& value) {
  switch (value.kind) {
    case Value::Kind::Null:
      return nullptr;
    case Value::Kind::Bool:
      return value.text == "true";
    case Value::Kind::Number:
      return number_of(value.text);
    case Value::Kind::String:
      return value.text;
    case Value::Kind::List: {
      Json list = Json::array();
      for (const Value& item : value.items) list.push_back(to_tree(item));
      return list;
    }
    case Value::Kind::Map: {
      Json map = Json::object();
      for (const Member& member : value.members) {
        map.get_ref<Json::object_t&>().insert_or_assign(member.key, to_tree(member.value));
      }
      return map;
    }
  }
  return nullptr;
}

const Json* find_at(const Json& json, Path path) {
  const Json* at = &json;
  for (const std::string_view key : path) {
    const auto* const map = at->get_ptr<const Json::object_t*>();
    if (map == nullptr) return nullptr;
    const auto it = map->find(key);
    if (it == map->end()) return nullptr;
    at = &it->second;
  }
  return at;
}

std::string text_at(const Json& json, Path path) {
  const Json* at = find_at(json, path);
  return at != nullptr && at->is_string() ? at->get<std::string>() : std::string();
}

std::optional<std::int64_t> integer_at(const Json& json, Path path) {
  const Json* at = find_at(json, path);
  if (at == nullptr || !at->is_number_integer()) return std::nullopt;
  if (at->is_number_unsigned() && at->get<std::uint64_t>() > std::uint64_t{INT64_MAX}) {
    return std::nullopt;
  }
  return at->get<std::int64_t>();
}

bool truth_at(const Json& json, Path path) {
  const Json* at = find_at(json, path);
  return at != nullptr && at->is_boolean() && at->get<bool>();
}

const Json& list_at(const Json& json, Path path) {
  static const Json none = Json::array();
  const Json* at = find_at(json, path);
  return at != nullptr && at->is_array() ? *at : none;
}

const Json& map_at(const Json& json, Path path) {
  static const Json none = Json::object();
  const Json* at = find_at(json, path);
  return at != nullptr && at->is_object() ? *at : none;
}

bool present_at(const Json& json, Path path) {
  const Json* at = find_at(json, path);
  if (at == nullptr || at->is_null()) return false;
  if (at->is_string()) return !at->get_ref<const std::string&>().empty();
  return at->is_structured() ? !at->empty() : true;
}

Json& make_at(Json& json, Path path) {
  Json* at = &json;
  for (const std::string_view key : path) {
    if (!at->is_object()) *at = Json::object();
    at = &(*at)[std::string(key)];
  }
  return *at;
}

}  // namespace elbowroom::lab
