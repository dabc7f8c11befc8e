// What somebody may have meant by an unknown word. Case, dashes and underscores do not count, so
// that node-name finds nodeName.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace elbowroom::daemon {

// The candidate with the fewest edits (insert, leave out, replace a letter, swap two neighbours),
// if these are at most a third of the word, and at least one is allowed; the first of equals. Words
// of more than 64 letters find nothing. A view into `candidates`.
[[nodiscard]] std::optional<std::string_view> closest(std::string_view word,
                                                      std::span<const std::string_view> candidates);

}  // namespace elbowroom::daemon
