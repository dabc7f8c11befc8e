#include "base/duration.h"

#include <array>
#include <charconv>
#include <cstdint>

namespace elbowroom {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLongest = std::chrono::hours(24 * 365);

struct Unit {
  std::string_view name;
  milliseconds length;
};
// Largest first; no name is a prefix of a later one.
constexpr std::array kUnits{Unit{"h", std::chrono::hours(1)}, Unit{"ms", milliseconds(1)},
                            Unit{"m", std::chrono::minutes(1)}, Unit{"s", std::chrono::seconds(1)}};

const Unit* unit_at(std::string_view text) {
  for (const Unit& unit : kUnits) {
    if (text.starts_with(unit.name)) return &unit;
  }
  return nullptr;
}

std::unexpected<Error> refuse(std::string_view text) {
  return failure(Code::Invalid, "\"" + std::string(text.substr(0, 40)) +
                                    "\" is no duration: write it like 90s, 5m, 1h30m or 250ms, at "
                                    "most a year");
}

}  // namespace

Result<milliseconds> parse_duration(std::string_view text) {
  if (text == "0") return milliseconds(0);
  milliseconds total{0};
  milliseconds above = milliseconds::max();
  std::string_view rest = text;
  if (rest.empty()) return refuse(text);
  while (!rest.empty()) {
    if (rest.front() < '0' || rest.front() > '9') return refuse(text);
    std::int64_t number = 0;
    const char* const end = rest.data() + rest.size();
    const auto [after, error] = std::from_chars(rest.data(), end, number);
    if (error != std::errc{}) return refuse(text);
    rest.remove_prefix(static_cast<std::size_t>(after - rest.data()));
    const Unit* unit = unit_at(rest);
    if (unit == nullptr || unit->length >= above) return refuse(text);
    if (number > kLongest / unit->length) return refuse(text);
    total += number * unit->length;
    if (total > kLongest) return refuse(text);
    above = unit->length;
    rest.remove_prefix(unit->name.size());
  }
  return total;
}

std::string format_duration(milliseconds length) {
  const std::int64_t whole = length.count() / 1000;
  const std::int64_t rest = length.count() % 1000;
  if (rest == 0) return std::to_string(whole) + "s";
  return (whole == 0 ? "" : std::to_string(whole) + "s") + std::to_string(rest) + "ms";
}

}  // namespace elbowroom
