// URLs of the API: splits the server's base URL, and builds the targets of requests. All outside
// input is percent-encoded here, so no name or selector can change the structure of a target.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace elbowroom::api {

// "https://host:6443/prefix" in parts. IPv6 addresses keep their brackets in `host`.
struct ServerUrl {
  std::string scheme{};  // "http" or "https"
  std::string host{};
  std::uint16_t port = 0;
  std::string prefix{};  // "" or "/path", without a slash at the end

  friend bool operator==(const ServerUrl&, const ServerUrl&) = default;
};

// Invalid: not an http or https URL, contains user names or control characters, or a port out of
// range. A query or fragment is dropped. Source: client-go rest.DefaultServerURL.
[[nodiscard]] Result<ServerUrl> parse_server_url(std::string_view text);
[[nodiscard]] std::string to_string(const ServerUrl& url);

// Encodes everything but letters, digits and -._~ as %XX.
[[nodiscard]] std::string percent_encoded(std::string_view text);

// In order; values are plain text, encoded by target_of().
using Query = std::vector<std::pair<std::string, std::string>>;

// "/api/v1/pods?watch=1&..."; the path must already be encoded.
[[nodiscard]] std::string target_of(std::string_view path, const Query& query);

// "/api/v1/namespaces/NS/pods/NAME" with NS and NAME encoded, and "/SUB" appended if given.
[[nodiscard]] std::string pod_path(std::string_view ns, std::string_view name,
                                   std::string_view subresource = {});
// The same below /apis/scheduling.k8s.io/VERSION, for podgroups.
[[nodiscard]] std::string pod_group_path(std::string_view version, std::string_view ns,
                                         std::string_view name, std::string_view subresource = {});
[[nodiscard]] std::string node_path(std::string_view name, std::string_view subresource = {});

}  // namespace elbowroom::api
