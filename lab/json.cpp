#include "lab/json.h"

#include <algorithm>

namespace elbowroom::lab {
namespace {

// How deeply brackets nest, those inside strings left out.
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

}  // namespace

Result<Json> parse_object(std::string_view text) {
  if (text.size() > kMaxJsonBytes) return failure(Code::Invalid, "the body is larger than 3 MiB");
  if (depth_of(text) > kMaxJsonDepth) {
    return failure(Code::Invalid, "the body is nested deeper than 64 levels");
  }
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return failure(Code::Invalid, "the body is not JSON");
  if (!json.is_object()) return failure(Code::Invalid, "the body is not a JSON object");
  return json;
}

std::string to_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Value to_value(const Json& json) {
  Value value;
  switch (json.type()) {
    case Json::value_t::object:
      value.kind = Value::Kind::Map;
      value.members.reserve(json.size());
      for (auto it = json.begin(); it != json.end(); ++it) {
        value.members.push_back({.key = it.key(), .value = to_value(*it)});
      }
      return value;
    case Json::value_t::array:
      value.kind = Value::Kind::List;
      value.items.reserve(json.size());
      for (const Json& item : json) value.items.push_back(to_value(item));
      return value;
    case Json::value_t::string:
      value.kind = Value::Kind::String;
      value.text = json.get_ref<const std::string&>();
      return value;
    case Json::value_t::boolean:
      value.kind = Value::Kind::Bool;
      value.text = json.get<bool>() ? "true" : "false";
      return value;
    case Json::value_t::null:
    case Json::value_t::discarded:
      return value;
    case Json::value_t::number_unsigned:
      value.kind = Value::Kind::Number;
      value.text = std::to_string(json.get<std::uint64_t>());
      return value;
    case Json::value_t::number_integer:
      value.kind = Value::Kind::Number;
      value.text = std::to_string(json.get<std::int64_t>());
      return value;
    default:
      value.kind = Value::Kind::Number;
      value.text = to_text(json);
      return value;
  }
}

Json to_tree(const Value& value) {
  switch (value.kind) {
    case Value::Kind::Null:
      return nullptr;
    case Value::Kind::Bool:
      return value.text == "true";
    case Value::Kind::Number: {
      Json number = Json::parse(value.text, nullptr, false);
      return number.is_number() ? number : Json(value.text);
    }
    case Value::Kind::String:
      return value.text;
    case Value::Kind::List: {
      Json list = Json::array();
      for (const Value& item : value.items) list.push_back(to_tree(item));
      return list;
    }
    case Value::Kind::Map: {
      Json map = Json::object();
      for (const Member& member : value.members) map[member.key] = to_tree(member.value);
      return map;
    }
  }
  return nullptr;
}

const Json* find_at(const Json& json, Path path) {
  const Json* at = &json;
  for (const std::string_view key : path) {
    if (!at->is_object()) return nullptr;
    const auto it = at->find(key);
    if (it == at->end()) return nullptr;
    at = &*it;
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
