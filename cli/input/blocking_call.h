// One question to a server, waited for. It returns when the answer is there or the request's own
// deadline has passed; nothing else runs meanwhile.
#pragma once

#include "api/transport/curl_transport.h"

namespace elbowroom::cli {

[[nodiscard]] Result<api::Response> answered(api::CurlTransport& transport, api::Request request);

}  // namespace elbowroom::cli
