// Serves the "who am I" and "may I" requests of the authentication and authorization groups. The
// lab has one user, who may do everything.
#pragma once

#include <optional>

#include "lab/apiserver/api_request.h"

namespace elbowroom::lab {

// Returns the answer to a review that is created, or nothing when the request is no review.
[[nodiscard]] std::optional<ApiReply> access_review(const ApiRequest& request);

}  // namespace elbowroom::lab
