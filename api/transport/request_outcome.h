// One request to the API server that has ended, for metrics. Its words come from small sets of
// ours, never from the path itself.
#pragma once

#include <string_view>

#include "api/transport/http.h"
#include "api/transport/token_bucket.h"

namespace elbowroom::api {

struct RequestOutcome {
  std::string_view verb{};      // GET, LIST, WATCH, POST, PUT, PATCH, DELETE
  std::string_view resource{};  // one of those that daemons ask for, or "other"
  int status = 0;               // 0: there was no answer
  Clock::duration took{};       // since it was put on the wire
};

// The verb and the resource of a request; the rest as it is.
[[nodiscard]] RequestOutcome called(const Request& request);

}  // namespace elbowroom::api
