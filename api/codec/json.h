// JSON as sent to the API server: a tree of values written as text, and shorthands to build such a
// tree. Numbers keep their original spelling, so reading and writing a document does not change it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/document.h"

namespace elbowroom::api {

// On one line, members in order. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string to_json(const Value& value);

[[nodiscard]] Value json_text(std::string text);
[[nodiscard]] Value json_number(std::int64_t number);
[[nodiscard]] Value json_bool(bool truth);
[[nodiscard]] Value json_list(std::vector<Value> items);
// A member of a new map; its value is moved out of the list.
struct JsonMember {
  std::string_view key{};
  mutable Value value{};
};
// Keys must be unique.
[[nodiscard]] Value json_map(std::initializer_list<JsonMember> members);

// Sets the member with that key, or replaces its value. Requires a Map.
void set_member(Value& map, std::string_view key, Value value);
// Removes the member, if present.
void drop_member(Value& map, std::string_view key);

// The member's text if it is a String, otherwise "".
[[nodiscard]] std::string_view text_at(const Value& map, std::string_view key);
// The value at a path of keys, or nullptr.
[[nodiscard]] const Value* value_at(const Value& map, std::initializer_list<std::string_view> path);
// The integer with that key; `otherwise` if it is absent or exceeds 64 bits.
[[nodiscard]] std::int64_t integer_at(const Value& map, std::string_view key,
                                      std::int64_t otherwise = 0);

}  // namespace elbowroom::api
