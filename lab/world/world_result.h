// The world's answers with the codes that a client of the API sees. Callers without an API server
// in between see the same codes as those with one.
#pragma once

#include "base/result.h"
#include "lab/apiserver/api_error.h"

namespace elbowroom::lab {

// Classifies the codes of an API server as our own client does.
[[nodiscard]] inline Code code_of_status(int status) {
  switch (status) {
    case 401:
    case 403:
      return Code::Denied;
    case 404:
      return Code::NotFound;
    case 409:
      return Code::Conflict;
    case 410:
      return Code::Gone;
    default:
      return status >= 500 || status == 429 ? Code::Unavailable : Code::Invalid;
  }
}

template <class T>
[[nodiscard]] Result<void> outcome_of(const Answer<T>& answer) {
  if (answer) return {};
  return failure(code_of_status(answer.error().code), answer.error().message);
}

}  // namespace elbowroom::lab
