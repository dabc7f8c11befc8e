// Sends one request to a server and waits for the answer. It returns when the answer arrives or the
// request's own deadline passes; nothing else runs in the meantime.
#pragma once

#include "api/transport/transport.h"

namespace elbowroom::cli {

// How the command line reaches a server: with its own User-Agent.
[[nodiscard]] api::TransportOptions transport_options();

[[nodiscard]] Result<api::Response> answered(api::Transport& transport, api::Request request);

}  // namespace elbowroom::cli
