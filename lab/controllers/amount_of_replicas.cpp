#include "lab/controllers/amount_of_replicas.h"

#include <charconv>
#include <string>

namespace elbowroom::lab {

bool is_percentage(const Json& object, Path path) { return text_at(object, path).ends_with('%'); }

std::optional<std::int64_t> amount_of_replicas(const Json& object, Path path, std::int64_t replicas,
                                               Round round) {
  if (const auto number = integer_at(object, path)) {
    return *number < 0 ? std::nullopt : std::optional(*number);
  }
  const std::string text = text_at(object, path);
  std::int32_t percent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  const bool is_sound =
      error == std::errc{} && percent >= 0 && end + 1 == text.data() + text.size() && *end == '%';
  if (!is_sound) return std::nullopt;
  return (replicas * percent + (round == Round::Up ? 99 : 0)) / 100;
}

}  // namespace elbowroom::lab
