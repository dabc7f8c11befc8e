#include "api/transport/proxy.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "base/ascii_lower.h"

namespace elbowroom::api {
namespace {

// An IP address; IPv4 in IPv6 (::ffff:1.2.3.4) counts as IPv4.
struct Ip {
  std::array<unsigned char, 16> bytes{};
  std::size_t size = 0;  // 4 or 16

  friend bool operator==(const Ip&, const Ip&) = default;
};

std::optional<Ip> ip_from(std::string_view text) {
  const std::string copy(text);
  Ip ip;
  if (inet_pton(AF_INET, copy.c_str(), ip.bytes.data()) == 1) {
    ip.size = 4;
    return ip;
  }
  if (inet_pton(AF_INET6, copy.c_str(), ip.bytes.data()) != 1) return std::nullopt;
  ip.size = 16;
  constexpr std::array<unsigned char, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (std::equal(kMapped.begin(), kMapped.end(), ip.bytes.begin())) {
    Ip plain{.size = 4};
    std::copy(ip.bytes.begin() + 12, ip.bytes.end(), plain.bytes.begin());
    return plain;
  }
  return ip;
}

bool is_loopback(const Ip& ip) { return ip.size == 4 ? ip.bytes[0] == 127 : ip == ip_from("::1"); }

std::optional<unsigned> number_in(std::string_view text) {
  unsigned number = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (wrong != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool has_prefix(const Ip& ip, const Ip& network, unsigned bits) {
  if (ip.size != network.size || bits > ip.size * 8) return false;
  for (std::size_t i = 0; i < ip.size && bits > 0; ++i) {
    const unsigned here = std::min(bits, 8U);
    const unsigned differing = static_cast<unsigned>(ip.bytes[i] ^ network.bytes[i]);
    if ((differing >> (8 - here)) != 0) return false;
    bits -= here;
  }
  return true;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// A host in lower case, without brackets, and its port.
struct Target {
  std::string host{};
  std::optional<Ip> ip{};
  unsigned port = 0;
};

Target target_of(const ServerUrl& server) {
  std::string host = ascii_lower(server.host);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return {host, ip_from(host), server.port};
}

// Splits "HOST:PORT" and "[IPv6]:PORT"; port 0: none given.
Target rule_from(std::string_view text) {
  Target rule;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    rule.host = text.substr(1, end == std::string_view::npos ? end : end - 1);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  } else if (ip_from(text)) {
    rule.host = text;
    text = {};
  } else {
    rule.host = text.substr(0, text.find(':'));
    text.remove_prefix(rule.host.size());
  }
  if (text.starts_with(':')) rule.port = number_in(text.substr(1)).value_or(0);
  rule.ip = ip_from(rule.host);
  return rule;
}

bool matches(std::string_view text, const Target& target) {
  if (text == "*") return true;
  if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
    const auto network = ip_from(text.substr(0, slash));
    const auto bits = number_in(text.substr(slash + 1));
    return network && bits && target.ip && has_prefix(*target.ip, *network, *bits);
  }
  const Target rule = rule_from(text);
  if (rule.host.empty() || (rule.port != 0 && rule.port != target.port)) return false;
  if (rule.ip) return target.ip == rule.ip;
  // "example.com" matches the host and its subdomains, ".example.com" and "*.example.com" only
  // subdomains.
  std::string below = rule.host;
  if (below.starts_with("*.")) below = below.substr(1);
  const bool takes_host = !below.starts_with('.');
  if (takes_host) below = "." + below;
  return target.host.ends_with(below) || (takes_host && target.host == below.substr(1));
}

bool is_excepted(const Target& target, std::string_view list) {
  while (!list.empty()) {
    const std::string_view item = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), item.size() + 1));
    if (matches(ascii_lower(trimmed(item)), target)) return true;
  }
  return false;
}

}  // namespace

Result<std::string> proxy_url_from(std::string_view text) {
  const auto invalid = [](std::string_view why) {
    return failure(Code::Invalid, "proxy: " + std::string(why) +
                                      "; write it like http://proxy.example.com:3128, with http, "
                                      "https or socks5");
  };
  if (text.size() > 2048) return invalid("more than 2048 characters");
  if (std::ranges::any_of(text, [](char c) { return c <= ' ' || c == 0x7f || c == '\\'; })) {
    return invalid("a space, backslash or control character in it");
  }
  const std::size_t colon = text.find("://");
  std::string scheme =
      colon == std::string_view::npos ? "http" : ascii_lower(text.substr(0, colon));
  if (colon != std::string_view::npos) text.remove_prefix(colon + 3);
  if (scheme == "socks5") scheme = "socks5h";
  if (scheme != "http" && scheme != "https" && scheme != "socks5h") {
    return invalid("neither http, https nor socks5");
  }
  text = text.substr(0, text.find_first_of("/?#"));
  // The user name and password end at the last @. The rest is checked like a server's address.
  const std::size_t at = text.rfind('@');
  const std::string_view host = at == std::string_view::npos ? text : text.substr(at + 1);
  const auto parsed = parse_server_url("http://" + std::string(host));
  if (!parsed) return invalid("its host or port makes no sense");
  return scheme + "://" + std::string(text);
}

Result<std::string> proxy_for(const ServerUrl& server, const ProxyEnvironment& environment) {
  const std::string& proxy = server.scheme == "https" ? environment.https : environment.http;
  if (proxy.empty()) return std::string();
  const Target target = target_of(server);
  if (target.host == "localhost" || (target.ip && is_loopback(*target.ip))) return std::string();
  if (is_excepted(target, environment.none)) return std::string();
  auto url = proxy_url_from(proxy);
  if (!url) {
    return std::unexpected(
        url.error().with(server.scheme == "https" ? "HTTPS_PROXY" : "HTTP_PROXY"));
  }
  return url;
}

}  // namespace elbowroom::api
