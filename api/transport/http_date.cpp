#include "api/transport/http_date.h"

#include <array>
#include <chrono>
#include <ctime>

namespace elbowroom::api {
namespace {

constexpr const char* kForm = "%a, %d %b %Y %H:%M:%S GMT";

}  // namespace

std::optional<policy::Time> parse_http_date(const std::string& text) {
  std::tm parts{};
  const char* end = ::strptime(text.c_str(), kForm, &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return policy::Time{std::chrono::seconds(::timegm(&parts))};
}

std::string format_http_date(policy::Time time) {
  const std::time_t seconds =
      std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
  std::tm parts{};
  if (::gmtime_r(&seconds, &parts) == nullptr) return "";
  std::array<char, 64> text{};
  return {text.data(), ::strftime(text.data(), text.size(), kForm, &parts)};
}

}  // namespace elbowroom::api
