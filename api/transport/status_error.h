// Converts an error response of the API server: the Status object, and the resulting Error. The
// reason takes precedence over the code. The Error's Code says what the caller can do: read again
// (Conflict), give up (NotFound, Denied, Invalid), wait (Unavailable).
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "api/transport/http.h"
#include "base/document.h"
#include "base/result.h"

namespace elbowroom::api {

struct StatusCause {
  std::string reason{};
  std::string message{};
  std::string field{};

  friend bool operator==(const StatusCause&, const StatusCause&) = default;
};

// meta/v1 Status, reduced to the fields in use.
struct Status {
  int code = 0;
  std::string reason{};  // "NotFound", "Conflict", ...; derived from the code if missing
  std::string message{};
  std::vector<StatusCause> causes{};  // at most 16
  std::chrono::seconds retry_after{0};
  std::string remark{};  // our own, from a Response

  friend bool operator==(const Status&, const Status&) = default;
};

// From an object of kind Status (ERROR events of a watch).
[[nodiscard]] Status status_from(const Value& object);

// From an unsuccessful response. A body that is not a Status (a proxy's page, "Too many requests")
// becomes the message, cut to 2 KiB.
[[nodiscard]] Status status_from(const Response& response, Method method);

// True for 410 in both spellings, Expired and Gone.
[[nodiscard]] bool is_expired(const Status& status);
// True if the server has not reached the requested resourceVersion yet.
[[nodiscard]] bool is_version_too_large(const Status& status);
// True if the name in a POST already exists.
[[nodiscard]] bool is_already_exists(const Status& status);

// "404 NotFound: pods \"x\" not found", on one line, with the code for the caller: 404 NotFound;
// 409, and 422 on metadata.uid, Conflict; 410 Gone; 401 and 403 Denied; 429 and 5xx Unavailable;
// the rest Invalid.
[[nodiscard]] Error error_from(const Status& status);
[[nodiscard]] Error error_from(const Response& response, Method method);

}  // namespace elbowroom::api
