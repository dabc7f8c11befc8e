// Of which kind the cause of a failure is, by the words that tell it. It serves the log, which
// tells a loss once and tells it again when it has become another one; nobody decides by it.
#pragma once

#include <string>
#include <string_view>

namespace elbowroom::daemon {

// "HTTP 403", "TLS", "connection" or "other". Our own words come first in a message
// (api/write/client.h, api/transport/curl_request.h), so what a server adds does not change the
// kind.
[[nodiscard]] std::string error_class(std::string_view why);

}  // namespace elbowroom::daemon
