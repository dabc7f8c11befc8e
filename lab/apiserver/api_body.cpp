#include "lab/apiserver/api_body.h"

#include <utility>

#include "lab/schema/protobuf_body.h"

namespace elbowroom::lab {

ApiError unsupported_media(const std::string& media) {
  return {.code = 415,
          .reason = "UnsupportedMediaType",
          .message = "the body of the request was in an unknown format: " + media +
                     "; send application/json, or one of the JSON patch types"};
}

Answer<Json> decoded_body(const ApiRequest& request) {
  const std::string media = media_type(request);
  const bool plain = media == "application/json" || (media.empty() && request.method == "DELETE");
  if (!plain && media != kProtobuf) return std::unexpected(unsupported_media(media));
  auto object = plain ? parse_object(request.body) : decode_protobuf(request.body);
  if (!object) return std::unexpected(bad_request(object.error().message));
  return *std::move(object);
}

}  // namespace elbowroom::lab
