// Writes a tree of values as JSON or YAML that parses to the same tree. The only control character
// in the output is newline, whatever the strings contain.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/document.h"

namespace elbowroom {

// Indented by two spaces, with a newline at the end.
[[nodiscard]] std::string to_json(const Value& value);
// On one line, without a newline at the end.
[[nodiscard]] std::string to_json_line(const Value& value);
// One document in block style, with a newline at the end.
[[nodiscard]] std::string to_yaml(const Value& value);

// Appends the text as a JSON string, quotes included. Bytes that are not UTF-8 become U+FFFD.
void append_json_text(std::string& to, std::string_view text);

// Shorthands for building trees by hand.
[[nodiscard]] Value text_value(std::string text);
[[nodiscard]] Value number_value(std::int64_t number);
[[nodiscard]] Value bool_value(bool truth);
[[nodiscard]] Value list_value(std::vector<Value> items);
[[nodiscard]] Value map_value(std::vector<Member> members);
[[nodiscard]] Member member(std::string key, Value value);

}  // namespace elbowroom
