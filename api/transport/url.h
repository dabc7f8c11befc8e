// Addresses of the API: the server's base URL taken apart, and the targets of requests put
// together. Whatever comes from outside is percent-encoded here, so no name or selector can change
// the shape of a target.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace elbowroom::api {

// "https://host:6443/prefix" taken apart. IPv6 addresses keep their brackets in `host`.
struct ServerUrl {
  std::string scheme{};  // "http" or "https"
  std::string host{};
  std::uint16_t port = 0;
  std::string prefix{};  // "" or "/path", without a slash at the end

  friend bool operator==(const ServerUrl&, const ServerUrl&) = default;
};

// Invalid: no http or https URL, user names in it, control characters, a port out of range. A query
// or fragment is dropped. Source: client-go rest.DefaultServerURL.
[[nodiscard]] Result<ServerUrl> parse_server_url(std::string_view text);
[[nodiscard]] std::string to_string(const ServerUrl& url);

// Everything but letters, digits and -._~ becomes %XX.
[[nodiscard]] std::string percent_encoded(std::string_view text);

// In order; values are plain text, encoded by target_of.
using Query = std::vector<std::pair<std::string, std::string>>;

// "/api/v1/pods?watch=1&..."; the path must be encoded already.
[[nodiscard]] std::string target_of(std::string_view path, const Query& query);

// "/api/v1/namespaces/NS/pods/NAME" with NS and NAME encoded; "/SUB" behind it where given.
[[nodiscard]] std::string pod_path(std::string_view ns, std::string_view name,
                                   std::string_view subresource = {});
[[nodiscard]] std::string node_path(std::string_view name, std::string_view subresource = {});

}  // namespace elbowroom::api
