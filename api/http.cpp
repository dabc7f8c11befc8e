#include "api/http.h"

#include <algorithm>
#include <charconv>

namespace elbowroom::api {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
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

void take_header(Response& response, std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string name = lower(trimmed(line.substr(0, colon)));
  const std::string_view value = trimmed(line.substr(colon + 1)).substr(0, 1024);

  if (name == "content-type") {
    response.content_type = lower(trimmed(value.substr(0, value.find(';'))));
  } else if (name == "date") {
    response.date = value;
  } else if (name == "warning") {
    response.warning = value;
  } else if (name == "retry-after") {
    // Dates are allowed by HTTP; API servers send seconds. More than a day is nonsense.
    long seconds = 0;
    const auto [end, wrong] = std::from_chars(value.data(), value.data() + value.size(), seconds);
    if (wrong == std::errc() && end == value.data() + value.size() && seconds >= 0) {
      response.retry_after = std::chrono::seconds(std::min(seconds, 86'400L));
    }
  }
}

}  // namespace elbowroom::api
