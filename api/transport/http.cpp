#include "api/transport/http.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "api/transport/http_date.h"
#include "base/ascii_lower.h"

namespace elbowroom::api {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

// API servers send seconds; a proxy may send a date. Malformed values are ignored.
std::chrono::seconds retry_after_in(std::string_view value, const std::string& date) {
  const auto bounded = [](long long seconds) {
    return std::chrono::seconds(std::clamp<long long>(seconds, 0, kMaxRetryAfter.count()));
  };
  const bool is_number =
      !value.empty() && std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; });
  if (is_number) {
    long long seconds = 0;
    const auto wrong = std::from_chars(value.data(), value.data() + value.size(), seconds).ec;
    return wrong == std::errc() ? bounded(seconds) : kMaxRetryAfter;
  }
  const auto until = parse_http_date(std::string(value));
  const auto since = parse_http_date(date);
  if (!until || !since) return std::chrono::seconds(0);
  return bounded(std::chrono::duration_cast<std::chrono::seconds>(*until - *since).count());
}

}  // namespace

std::string_view to_string(Method method) {
  switch (method) {
    case Method::Get:
      return "GET";
    case Method::Post:
      return "POST";
    case Method::Put:
      return "PUT";
    case Method::Patch:
      return "PATCH";
    case Method::Delete:
      return "DELETE";
  }
  return "GET";
}

bool is_header_taken(std::string_view name) {
  return name == "content-type" || name == "date" || name == "warning" || name == "retry-after";
}

void take_header(Response& response, std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string name = ascii_lower(trimmed(line.substr(0, colon)));
  const std::string_view value = trimmed(line.substr(colon + 1)).substr(0, 1024);

  if (name == "content-type") {
    response.content_type = ascii_lower(trimmed(value.substr(0, value.find(';'))));
  } else if (name == "date") {
    response.date = value;
  } else if (name == "warning") {
    response.warning = value;
  } else if (name == "retry-after") {
    response.retry_after = retry_after_in(value, response.date);
  }
}

}  // namespace elbowroom::api
