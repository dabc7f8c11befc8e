// The outcome of one request to the API server, for metrics. Its words come from small fixed sets,
// never from the path itself.
#pragma once

#include <string_view>

#include "api/transport/http.h"
#include "api/transport/token_bucket.h"

namespace elbowroom::api {

struct RequestOutcome {
  std::string_view verb{};      // GET, LIST, WATCH, POST, PUT, PATCH, DELETE
  std::string_view resource{};  // a resource that daemons use, or "other"
  int status = 0;               // 0: no response
  Clock::duration took{};       // since it was sent
};

// Sets verb and resource from the request; the rest keeps its default.
[[nodiscard]] RequestOutcome called(const Request& request);

}  // namespace elbowroom::api
