// The body of a request as a JSON tree. A body without a type is JSON only where a DELETE carries
// it; else it is refused, as a browser's plain form would be.
#pragma once

#include <string>

#include "lab/apiserver/api_error.h"
#include "lab/apiserver/api_request.h"
#include "lab/world/json.h"

namespace elbowroom::lab {

// Of JSON or Kubernetes' protobuf. 415: another type; 400: broken.
[[nodiscard]] Answer<Json> decoded_body(const ApiRequest& request);

[[nodiscard]] ApiError unsupported_media(const std::string& media);

}  // namespace elbowroom::lab
