#include "daemon/https/http_request.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace elbowroom::daemon {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_same(std::string_view one, std::string_view other) {
  return std::ranges::equal(one, other, {}, lower, lower);
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Up to the end of the line, which is taken away with it.
std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find("\r\n"), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 2, text.size()));
  return line;
}

void refuse(HttpHead& head, int status, std::string_view why) {
  if (head.refused != 0) return;
  head.refused = status;
  head.why = why;
  head.closes = true;
}

void take_length(HttpHead& head, bool& is_known, std::string_view value, std::size_t most) {
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), length);
  const bool is_too_long = error == std::errc::result_out_of_range;
  if (is_known || value.empty() || end != value.data() + value.size()) {
    return refuse(head, 400, "its Content-Length is not one number");
  }
  is_known = true;
  if (is_too_long || length > most) return refuse(head, 413, "its body is too large");
  head.body = length;
}

void take_header(HttpHead& head, bool& is_known, std::string_view line, std::size_t most_body) {
  const std::size_t colon = line.find(':');
  const bool is_header = colon != std::string_view::npos && colon > 0 &&
                         line.substr(0, colon).find_first_of(" \t") == std::string_view::npos;
  if (!is_header) return refuse(head, 400, "a header is not understood");
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (is_same(name, "Content-Length")) take_length(head, is_known, value, most_body);
  if (is_same(name, "Transfer-Encoding")) refuse(head, 411, "it says no Content-Length");
  if (is_same(name, "Connection") && is_same(value, "close")) head.closes = true;
  if (is_same(name, "Expect") && is_same(value, "100-continue")) head.expects = true;
}

std::string_view words_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 411:
      return "Length Required";
    case 413:
      return "Content Too Large";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Error";
  }
}

}  // namespace

HttpHead parse_head(std::string_view head, std::size_t most_body) {
  HttpHead made;
  const std::string_view line = next_line(head);
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last || first == 0) {
    refuse(made, 400, "its first line is not understood");
    return made;
  }
  made.method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  made.path = target.substr(0, std::min(target.find('?'), target.size()));
  if (line.substr(last + 1) != "HTTP/1.1") refuse(made, 505, "it is not of HTTP/1.1");
  bool is_length_known = false;
  while (!head.empty()) {
    const std::string_view header = next_line(head);
    if (!header.empty()) take_header(made, is_length_known, header, most_body);
  }
  return made;
}

std::string http_response(int status, std::string_view type, std::string_view body, bool closes) {
  std::string response =
      "HTTP/1.1 " + std::to_string(status) + " " + std::string(words_of(status)) + "\r\n";
  response += "Content-Type: " + std::string(type) + "\r\n";
  response += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  response += "Cache-Control: no-store\r\n";
  if (closes) response += "Connection: close\r\n";
  response += "\r\n";
  response += body;
  return response;
}

}  // namespace elbowroom::daemon
