#include "daemon/http/address.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace elbowroom::daemon {
namespace {

constexpr std::size_t kMaxHostBytes = 253;

bool is_host_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-';
}

// Hexadecimal, colons, and the dots of an embedded IPv4 address. The kernel checks the rest.
bool is_ipv6_letter(char c) {
  return (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || (c >= '0' && c <= '9') || c == ':' ||
         c == '.';
}

std::optional<std::uint16_t> port_from(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return port;
}

}  // namespace

Result<Address> parse_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    return failure(Code::Invalid, "no port: write ADDR:PORT, such as 127.0.0.1:10361");
  }
  const auto port = port_from(text.substr(colon + 1));
  if (!port) return failure(Code::Invalid, "the port is no number from 0 to 65535");

  std::string_view host = text.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  const bool good = bracketed ? std::ranges::all_of(host, is_ipv6_letter)
                              : std::ranges::all_of(host, is_host_letter);
  if (host.empty() || host.size() > kMaxHostBytes || !good) {
    return failure(Code::Invalid,
                   "no host name or IP address before the port: write ADDR:PORT, an "
                   "IPv6 address in brackets");
  }
  return Address{std::string(host), *port};
}

std::string to_string(const Address& address) {
  const bool ipv6 = address.host.find(':') != std::string::npos;
  return (ipv6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

}  // namespace elbowroom::daemon
