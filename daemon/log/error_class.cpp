#include "daemon/log/error_class.h"

#include <algorithm>
#include <array>

namespace elbowroom::daemon {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Returns the status in "list /api/v1/pods: 403 Forbidden: ..."; "" if there is none.
std::string_view status_in(std::string_view why) {
  for (std::size_t at = why.find(": "); at != std::string_view::npos; at = why.find(": ", at + 2)) {
    const std::string_view rest = why.substr(at + 2);
    const bool is_status = rest.size() > 3 && (rest[0] == '4' || rest[0] == '5') &&
                           is_digit(rest[1]) && is_digit(rest[2]) && rest[3] == ' ';
    if (is_status) return rest.substr(0, 3);
  }
  return {};
}

template <std::size_t N>
bool says_one_of(std::string_view why, const std::array<std::string_view, N>& words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return why.find(word) != std::string_view::npos; });
}

}  // namespace

std::string error_class(std::string_view why) {
  constexpr std::array<std::string_view, 4> kTls = {"certificate", "SSL", "TLS", "issuer"};
  constexpr std::array<std::string_view, 8> kConnection = {
      "onnect", "deadline", "nothing came", "timed out", "resolve", "refused", "reset", "closed"};
  if (const std::string_view status = status_in(why); !status.empty()) {
    return "HTTP " + std::string(status);
  }
  if (says_one_of(why, kTls)) return "TLS";
  return says_one_of(why, kConnection) ? "connection" : "other";
}

}  // namespace elbowroom::daemon
