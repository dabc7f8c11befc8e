// Sends one request to a server and waits for the answer. It returns when the answer arrives or the
// request's own deadline passes; nothing else runs in the meantime.
#pragma once

#include "api/transport/curl_transport.h"

namespace elbowroom::cli {

[[nodiscard]] Result<api::Response> answered(api::CurlTransport& transport, api::Request request);

}  // namespace elbowroom::cli
