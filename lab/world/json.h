// Objects of the lab's cluster as JSON trees, and safe ways to read them. Every reader returns
// nothing when the tree has another shape; none of them throws.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/document.h"
#include "base/json_filter.h"
#include "base/result.h"

namespace elbowroom::lab {

using Json = nlohmann::json;
using Path = std::initializer_list<std::string_view>;

inline constexpr std::size_t kMaxJsonDepth = 64;
inline constexpr std::size_t kMaxJsonBytes = std::size_t{3} << 20;  // the API server's own bound

// Invalid: more than kMaxJsonBytes, nested deeper than kMaxJsonDepth, not JSON, not UTF-8.
[[nodiscard]] Result<Json> parse_object(std::string_view text);

// On one line; bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string to_text(const Json& json);

// The same tree as the decoders' Value, without positions. A filter leaves out what it drops.
[[nodiscard]] Value to_value(const Json& json);
[[nodiscard]] Value to_value(const Json& json, const JsonFilter& json_filter);
// Destroys a tree from its leaves up, at a third of the cost of its destructor, which is made for
// trees of any depth and moves every value twice.
void destroy_from_leaves(Json& json);
// The inverse of to_value(). A number that JSON cannot spell (YAML's 0x1F) becomes text.
[[nodiscard]] Json to_tree(const Value& value);

// The value at the path of keys, or nullptr.
[[nodiscard]] const Json* find_at(const Json& json, Path path);
[[nodiscard]] std::string text_at(const Json& json, Path path);  // "" where there is no text
[[nodiscard]] std::optional<std::int64_t> integer_at(const Json& json, Path path);
[[nodiscard]] bool truth_at(const Json& json, Path path);
// The list, or the mapping, at the path; an empty one if absent.
[[nodiscard]] const Json& list_at(const Json& json, Path path);
[[nodiscard]] const Json& map_at(const Json& json, Path path);

// True when the path holds a non-empty mapping, list or text, or a number or bool.
[[nodiscard]] bool present_at(const Json& json, Path path);

// The value at the path. Missing mappings are created; a value of another type in the path is
// replaced.
Json& make_at(Json& json, Path path);

}  // namespace elbowroom::lab
