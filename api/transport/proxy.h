// The proxy for a server, if any: the kubeconfig's, or the environment's by Go's rules. An address
// may contain a password, so it never appears in a message.
#pragma once

#include <string>
#include <string_view>

#include "api/transport/url.h"
#include "base/result.h"

namespace elbowroom::api {

// HTTPS_PROXY, HTTP_PROXY and NO_PROXY, or the same in lower case.
struct ProxyEnvironment {
  std::string https{};
  std::string http{};
  std::string none{};  // comma-separated: hosts, .domains, addresses, CIDRs, each with :PORT, or *

  friend bool operator==(const ProxyEnvironment&, const ProxyEnvironment&) = default;
};

// A proxy's URL for the transport: http, https or socks5 (where the proxy resolves names, as in
// Go); no scheme means http. Invalid: anything else.
[[nodiscard]] Result<std::string> proxy_url_from(std::string_view text);

// The environment's proxy for that server, "" for none; never for loopback. Invalid: it is not a
// proxy URL. Source: golang.org/x/net/http/httpproxy.
[[nodiscard]] Result<std::string> proxy_for(const ServerUrl& server,
                                            const ProxyEnvironment& environment);

}  // namespace elbowroom::api
