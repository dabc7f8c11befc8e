// JSON as we send it: a tree of values written as text, and short ways to build such a tree.
// Numbers keep the spelling they came with, so what is read and written back is not changed.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/document.h"

namespace elbowroom::api {

// On one line, members in their order. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string to_json(const Value& value);

[[nodiscard]] Value json_text(std::string text);
[[nodiscard]] Value json_number(std::int64_t number);
[[nodiscard]] Value json_bool(bool truth);
[[nodiscard]] Value json_list(std::vector<Value> items);
// A member of a map that is being written down; its value is moved out of the list.
struct JsonMember {
  std::string_view key{};
  mutable Value value{};
};
// Keys must be unique.
[[nodiscard]] Value json_map(std::initializer_list<JsonMember> members);

// Puts the member at that key, or replaces its value. Requires a Map.
void set_member(Value& map, std::string_view key, Value value);
// Takes the member away, if it is there.
void drop_member(Value& map, std::string_view key);

// The member's text where it is a String, else "".
[[nodiscard]] std::string_view text_at(const Value& map, std::string_view key);
// The value at a path of keys, or nullptr.
[[nodiscard]] const Value* value_at(const Value& map, std::initializer_list<std::string_view> path);
// The integer at that key; `otherwise` where there is none or it leaves 64 bits.
[[nodiscard]] std::int64_t integer_at(const Value& map, std::string_view key,
                                      std::int64_t otherwise = 0);

}  // namespace elbowroom::api
