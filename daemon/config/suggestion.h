// Suggests a known word for an unknown one. Case, dashes and underscores are ignored, so node-name
// matches nodeName.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace elbowroom::daemon {

// Returns the candidate with the fewest edits (insert, delete, replace a letter, swap two
// neighbours), at most a third of the word's length but at least one; the first of equals. Words of
// more than 64 letters match nothing. The result is a view into `candidates`.
[[nodiscard]] std::optional<std::string_view> closest(std::string_view word,
                                                      std::span<const std::string_view> candidates);

// "; did you mean NAME?" with the closest of the names; "" where none is close.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string> names);

}  // namespace elbowroom::daemon
