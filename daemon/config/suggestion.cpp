#include "daemon/config/suggestion.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace elbowroom::daemon {
namespace {

constexpr std::size_t kMaxLetters = 64;

std::string letters_of(std::string_view word) {
  std::string letters;
  for (const char c : word) {
    if (c == '-' || c == '_') continue;
    letters += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return letters;
}

// Optimal string alignment, row by row; needs the two rows above.
std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> above2(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(above2, above);
    std::swap(above, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], above2[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string_view> closest(std::string_view word,
                                        std::span<const std::string_view> candidates) {
  if (word.size() > kMaxLetters) return std::nullopt;
  const std::string wanted = letters_of(word);
  std::optional<std::string_view> best;
  std::size_t fewest = std::max<std::size_t>(1, wanted.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t edits = edits_between(wanted, letters_of(candidate));
    if (edits >= fewest) continue;
    fewest = edits;
    best = candidate;
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  const auto near = closest(word, views);
  return near ? "; did you mean " + std::string(*near) + "?" : "";
}

}  // namespace elbowroom::daemon
