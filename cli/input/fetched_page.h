// One page of a server, such as /metrics of a daemon or /version of an API server.
#pragma once

#include <chrono>
#include <string>

#include "api/transport/access.h"
#include "api/transport/transport.h"
#include "base/result.h"

namespace elbowroom::cli {

// Waits for it as long as `patience`. Unavailable: no answer; an answer that is no success has the
// code of its status. More than 16 MiB are Exhausted.
[[nodiscard]] Result<api::Response> fetched_page(const api::Access& access, const std::string& path,
                                                 std::chrono::milliseconds patience);

}  // namespace elbowroom::cli
