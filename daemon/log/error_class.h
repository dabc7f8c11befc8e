// Classifies the cause of a failure by its message. Only the log uses it: it reports a loss once,
// and again when the class of its cause changes. No decision depends on it.
#pragma once

#include <string>
#include <string_view>

namespace elbowroom::daemon {

// Returns "HTTP 403", "TLS", "connection" or "other". Our own words come first in a message
// (api/write/client.h, api/transport/curl_request.h), so text from a server does not change the
// class.
[[nodiscard]] std::string error_class(std::string_view why);

}  // namespace elbowroom::daemon
