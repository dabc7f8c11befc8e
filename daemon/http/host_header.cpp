#include "daemon/http/host_header.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <string>

namespace elbowroom::daemon {
namespace {

constexpr std::size_t kMaxHostBytes = 253;

bool is_literal(int family, std::string_view text) {
  in6_addr address{};  // the larger of the two
  return ::inet_pton(family, std::string(text).c_str(), &address) == 1;
}

// Accepts ":8080", and ":" alone.
bool is_port(std::string_view text) {
  if (text.empty()) return true;
  return text.front() == ':' && text.size() <= 6 &&
         std::ranges::all_of(text.substr(1), [](char c) { return c >= '0' && c <= '9'; });
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace

bool names_us(std::string_view host, std::string_view listened_on) {
  if (host.size() > kMaxHostBytes || host.find('\0') != std::string_view::npos) return false;
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    return end != std::string_view::npos && is_port(host.substr(end + 1)) &&
           is_literal(AF_INET6, host.substr(1, end - 1));
  }
  const std::size_t colon = std::min(host.find(':'), host.size());
  if (!is_port(host.substr(colon))) return false;
  const std::string_view name = host.substr(0, colon);
  return is_literal(AF_INET, name) || same_name(name, "localhost") ||
         (!name.empty() && same_name(name, listened_on));
}

bool names_loopback(std::string_view host) {
  if (!names_us(host, "localhost")) return false;
  if (host.starts_with('[')) return host.starts_with("[::1]");
  const std::string_view name = host.substr(0, host.find(':'));
  return same_name(name, "localhost") || name.starts_with("127.");
}

}  // namespace elbowroom::daemon
