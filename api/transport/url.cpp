#include "api/transport/url.h"

#include <curl/curl.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>

namespace elbowroom::api {
namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

std::optional<std::uint16_t> port_in(std::string_view text) {
  unsigned number = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (wrong != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (number == 0 || number > 65535) return std::nullopt;
  return static_cast<std::uint16_t>(number);
}

// The host that libcurl reads in the URL and connects to; "" where it reads none. It decodes
// percent signs and completes short forms of IPv4 addresses.
std::string host_by_curl(const ServerUrl& url) {
  const std::unique_ptr<CURLU, void (*)(CURLU*)> parsed(curl_url(), curl_url_cleanup);
  if (!parsed ||
      curl_url_set(parsed.get(), CURLUPART_URL, to_string(url).c_str(), 0) != CURLUE_OK) {
    return "";
  }
  char* host = nullptr;
  if (curl_url_get(parsed.get(), CURLUPART_HOST, &host, 0) != CURLUE_OK) return "";
  const std::unique_ptr<char, void (*)(void*)> owned(host, curl_free);
  return owned.get();
}

// NO_PROXY and the check for loopback look at the same host that the connection goes to. Returns
// why they would not; "": they do.
std::string odd_host(const ServerUrl& url) {
  const std::string host = host_by_curl(url);
  if (host.empty()) return "its host cannot be read";
  if (url.host.starts_with('[') || host == url.host) return "";
  return "its host is " + host + ", written in another form";
}

}  // namespace

Result<ServerUrl> parse_server_url(std::string_view text) {
  const auto invalid = [](std::string_view why) {
    return failure(Code::Invalid, "server URL: " + std::string(why) +
                                      "; write it like https://api.example.com:6443");
  };
  if (text.size() > 2048) return invalid("more than 2048 characters");
  if (std::ranges::any_of(text, [](char c) { return c <= ' ' || c == 0x7f || c == '\\'; })) {
    return invalid("a space, backslash or control character in it");
  }

  ServerUrl url;
  if (text.starts_with("https://")) {
    url.scheme = "https";
  } else if (text.starts_with("http://")) {
    url.scheme = "http";
  } else {
    return invalid("it does not begin with https:// or http://");
  }
  text.remove_prefix(url.scheme.size() + 3);
  text = text.substr(0, text.find_first_of("?#"));

  const std::string_view authority = text.substr(0, text.find('/'));
  std::string_view prefix = text.substr(authority.size());
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  url.prefix = prefix;
  if (authority.find('@') != std::string_view::npos) return invalid("a user name in it");

  // The colon before the port is the last one, unless it is part of an IPv6 address.
  const std::size_t bracket = authority.rfind(']');
  const std::size_t colon = authority.rfind(':');
  const bool has_port =
      colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
  url.host = authority.substr(0, has_port ? colon : authority.size());
  if (url.host.empty()) return invalid("it names no host");
  if (url.host.starts_with('[') != url.host.ends_with(']') ||
      (url.host.find(':') != std::string::npos && !url.host.starts_with('['))) {
    return invalid("an IPv6 address needs brackets");
  }
  url.port = url.scheme == "https" ? 443 : 80;
  if (has_port) {
    const auto port = port_in(authority.substr(colon + 1));
    if (!port) return invalid("the port is not a number from 1 to 65535");
    url.port = *port;
  }
  if (const std::string why = odd_host(url); !why.empty()) return invalid(why);
  return url;
}

std::string to_string(const ServerUrl& url) {
  return url.scheme + "://" + url.host + ":" + std::to_string(url.port) + url.prefix;
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (is_plain(c)) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 0xf];
    }
  }
  // A name of only dots would be a relative path segment.
  if (out == "." || out == "..") return out == "." ? "%2E" : "%2E%2E";
  return out;
}

std::string target_of(std::string_view path, const Query& query) {
  std::string out(path);
  char separator = '?';
  for (const auto& [key, value] : query) {
    out += separator;
    out += percent_encoded(key) + '=' + percent_encoded(value);
    separator = '&';
  }
  return out;
}

std::string pod_path(std::string_view ns, std::string_view name, std::string_view subresource) {
  std::string out = "/api/v1/namespaces/" + percent_encoded(ns) + "/pods/" + percent_encoded(name);
  if (!subresource.empty()) out += "/" + std::string(subresource);
  return out;
}

std::string pod_group_path(std::string_view version, std::string_view ns, std::string_view name,
                           std::string_view subresource) {
  std::string out = "/apis/scheduling.k8s.io/" + percent_encoded(version) + "/namespaces/" +
                    percent_encoded(ns) + "/podgroups/" + percent_encoded(name);
  if (!subresource.empty()) out += "/" + std::string(subresource);
  return out;
}

std::string node_path(std::string_view name, std::string_view subresource) {
  std::string out = "/api/v1/nodes/" + percent_encoded(name);
  if (!subresource.empty()) out += "/" + std::string(subresource);
  return out;
}

}  // namespace elbowroom::api
