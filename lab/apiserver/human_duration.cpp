#include "lab/apiserver/human_duration.h"

#include "api/codec/timestamp.h"

namespace elbowroom::lab {
namespace {

// "4m", or "4m20s" when there is a remainder.
std::string two_units(std::int64_t whole, const char* unit, std::int64_t rest,
                      const char* smaller) {
  std::string text = std::to_string(whole) + unit;
  if (rest != 0) text += std::to_string(rest) + smaller;
  return text;
}

}  // namespace

std::string human_duration(std::chrono::microseconds duration) {
  const std::int64_t seconds = duration / std::chrono::seconds(1);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return std::to_string(seconds) + "s";
  const std::int64_t minutes = seconds / 60;
  if (minutes < 10) return two_units(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return std::to_string(minutes) + "m";
  const std::int64_t hours = minutes / 60;
  if (hours < 8) return two_units(hours, "h", minutes % 60, "m");
  if (hours < 48) return std::to_string(hours) + "h";
  const std::int64_t days = hours / 24;
  if (days < 8) return two_units(days, "d", hours % 24, "h");
  if (days < 2 * 365) return std::to_string(days) + "d";
  if (days < 8 * 365) return two_units(days / 365, "y", days % 365, "d");
  return std::to_string(days / 365) + "y";
}

std::string human_age(std::string_view timestamp, policy::Time now) {
  const auto then = api::parse_timestamp(timestamp);
  if (timestamp.empty() || !then) return "<unknown>";
  return human_duration(now - *then);
}

}  // namespace elbowroom::lab
