// The questions "who am I" and "may I" of the authentication and authorization groups. The lab has
// one user who may do everything.
#pragma once

#include <optional>

#include "lab/apiserver/api_request.h"

namespace elbowroom::lab {

// The answer to a review that is created; nothing where the request is none.
[[nodiscard]] std::optional<ApiReply> access_review(const ApiRequest& request);

}  // namespace elbowroom::lab
