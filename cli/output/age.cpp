#include "cli/output/age.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace elbowroom::cli {
namespace {

struct Unit {
  std::int64_t seconds = 1;
  char name = 's';
  std::int64_t alone_below = 0;      // so many of it: no smaller unit beside it
  std::int64_t with_next_up_to = 0;  // fewer of it have the next smaller unit beside them
};
// From the largest. Source: apimachinery duration.HumanDuration.
constexpr std::array kUnits = {Unit{365LL * 86'400, 'y', 2, 8}, Unit{86'400, 'd', 2, 8},
                               Unit{3'600, 'h', 3, 8}, Unit{60, 'm', 2, 10}, Unit{1, 's', 0, 0}};

}  // namespace

std::string age_text(std::chrono::seconds age) {
  const std::int64_t total = std::max<std::int64_t>(age.count(), 0);
  for (std::size_t i = 0; i < kUnits.size(); ++i) {
    const Unit& unit = kUnits[i];
    const std::int64_t number = total / unit.seconds;
    if (number < unit.alone_below) continue;
    std::string text = std::to_string(number) + unit.name;
    if (number < unit.with_next_up_to) {
      const Unit& next = kUnits[i + 1];
      const std::int64_t rest = total % unit.seconds / next.seconds;
      if (rest > 0) text += std::to_string(rest) + next.name;
    }
    return text;
  }
  return "0s";
}

std::string age_text(const std::optional<policy::Time>& since, policy::Time now) {
  if (!since) return "?";
  return age_text(std::chrono::floor<std::chrono::seconds>(now - *since));
}

}  // namespace elbowroom::cli
