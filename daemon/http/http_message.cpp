#include "daemon/http/http_message.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace elbowroom::daemon {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_method_letter(char c) { return (c >= 'A' && c <= 'Z') || c == '-'; }

bool is_control(char c) { return (c >= '\0' && c < ' ' && c != '\t') || c == '\x7f'; }

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

struct Header {
  std::string_view name{};
  std::string_view value{};
};

void take_header(HttpHead& head, Header header) {
  if (is_same(header.name, "Host")) head.hosts.emplace_back(header.value);
  if (is_same(header.name, "Connection") && is_same(header.value, "close")) head.closes = true;
  if (is_same(header.name, "Expect") && is_same(header.value, "100-continue")) head.expects = true;
}

void take_headers(HttpHead& head, std::string_view lines, std::optional<std::size_t> most_body) {
  bool is_length_known = false;
  while (!lines.empty()) {
    const std::string_view line = next_line(lines);
    if (line.empty()) continue;
    const std::size_t colon = line.find(':');
    const bool is_header = colon != std::string_view::npos && colon > 0 &&
                           line.substr(0, colon).find_first_of(" \t") == std::string_view::npos &&
                           std::ranges::none_of(line, is_control);
    if (!is_header) return refuse(head, 400, "a header is not understood");
    const Header header{line.substr(0, colon), trimmed(line.substr(colon + 1))};
    take_header(head, header);
    if (!most_body) continue;
    if (is_same(header.name, "Content-Length")) {
      take_length(head, is_length_known, header.value, *most_body);
    }
    if (is_same(header.name, "Transfer-Encoding")) refuse(head, 411, "it says no Content-Length");
  }
}

std::string_view words_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 411:
      return "Length Required";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 421:
      return "Misdirected Request";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Error";
  }
}

}  // namespace

HttpHead parse_head(std::string_view head, std::optional<std::size_t> most_body) {
  HttpHead made;
  const std::string_view line = next_line(head);
  const std::size_t first = std::min(line.find(' '), line.size());
  const std::size_t last = line.rfind(' ');
  const std::string_view method = line.substr(0, first);
  if (method.empty() || !std::ranges::all_of(method, is_method_letter) ||
      last == std::string_view::npos || first == last) {
    refuse(made, 400, "its first line is not understood");
    return made;
  }
  const std::string_view target = line.substr(first + 1, last - first - 1);
  if (target.find(' ') != std::string_view::npos || std::ranges::any_of(line, is_control)) {
    refuse(made, 400, "its first line is not understood");
  }
  const std::size_t path_end = std::min(target.find('?'), target.size());
  made.method = method;
  made.path = target.substr(0, path_end);
  made.query = target.substr(std::min(path_end + 1, target.size()));
  const std::string_view version = line.substr(last + 1);
  if (version != "HTTP/1.1" && (most_body || version != "HTTP/1.0")) {
    refuse(made, 505, "it is not of HTTP/1.1");
  }
  take_headers(made, head, most_body);
  return made;
}

std::string http_response(const Reply& reply, bool closes, bool is_of_head) {
  std::string response = "HTTP/1.1 " + std::to_string(reply.status) + " ";
  response += words_of(reply.status);
  const auto add = [&](std::string_view name, std::string_view value) {
    response.append("\r\n").append(name).append(": ").append(value);
  };
  add("Content-Type", reply.type);
  add("Content-Length", std::to_string(reply.body.size()));
  add("Cache-Control", "no-store");
  add("X-Content-Type-Options", "nosniff");
  for (const auto& [name, value] : reply.headers) add(name, value);
  if (closes) add("Connection", "close");
  response += "\r\n\r\n";
  if (!is_of_head) response += reply.body;
  return response;
}

}  // namespace elbowroom::daemon
