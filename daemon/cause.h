// Of which kind the cause of a failure is, by the words that tell it. The one thing to know: it
// serves the log, which tells a loss once and tells it again when it has become another one; nobody
// decides by it.
#pragma once

#include <string>
#include <string_view>

namespace elbowroom::daemon {

// "HTTP 403", "TLS", "connection" or "other". Our own words come first in a message (api/client.h,
// api/exchange.h), so what a server adds does not change the kind.
[[nodiscard]] std::string kind_of_cause(std::string_view why);

}  // namespace elbowroom::daemon
