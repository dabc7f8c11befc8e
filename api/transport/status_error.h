// What the API server's answer means when it says no: the Status object, and the Error it becomes.
// The reason decides before the code does, and the Error's Code says what the caller can do: look
// again (Conflict), give up (NotFound, Denied, Invalid), wait (Unavailable).
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

// meta/v1 Status, as far as anybody acts on it.
struct Status {
  int code = 0;
  std::string reason{};  // "NotFound", "Conflict", ...; made up from the code where there is none
  std::string message{};
  std::vector<StatusCause> causes{};  // at most 16
  std::chrono::seconds retry_after{0};
  std::string remark{};  // ours, of a Response

  friend bool operator==(const Status&, const Status&) = default;
};

// From an object of kind Status (ERROR events of a watch).
[[nodiscard]] Status status_from(const Value& object);

// From a response that is no success. A body that is no Status (a proxy's page, "Too many
// requests") becomes the message, cut to 2 KiB.
[[nodiscard]] Status status_from(const Response& response, Method method);

// True for 410 in both spellings, Expired and Gone.
[[nodiscard]] bool is_expired(const Status& status);
// True when a resourceVersion was asked for that the server has not reached yet.
[[nodiscard]] bool is_version_too_large(const Status& status);
// True when a POST found the name taken.
[[nodiscard]] bool is_already_exists(const Status& status);

// "404 NotFound: pods \"x\" not found", on one line, with the code for the caller:
// 404 NotFound; 409 and 422 on metadata.uid Conflict; 410 Gone; 401 and 403 Denied; 429 and 5xx
// Unavailable; the rest Invalid.
[[nodiscard]] Error error_from(const Status& status);
[[nodiscard]] Error error_from(const Response& response, Method method);

}  // namespace elbowroom::api
