// Decodes the body of a request into a JSON tree. A body without a content type counts as JSON only
// in a DELETE; otherwise it is refused, as a browser's plain form would be.
#pragma once

#include <string>

#include "lab/apiserver/api_error.h"
#include "lab/apiserver/api_request.h"
#include "lab/world/json.h"

namespace elbowroom::lab {

// Accepts JSON and Kubernetes' protobuf. 415: another type; 400: malformed.
[[nodiscard]] Answer<Json> decoded_body(const ApiRequest& request);

[[nodiscard]] ApiError unsupported_media(const std::string& media);

}  // namespace elbowroom::lab
