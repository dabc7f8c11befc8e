// The OpenAPI v2 document of the lab's API, as far as kubectl reads it: it looks there for the
// kinds of a List's items before it sends them one by one. Each kind is there, and any content of
// it is valid: the server validates.
#pragma once

#include <string_view>

namespace elbowroom::lab {

// As API servers answer it: clients ask for it with "v2@v1.0", which is no media type that Go
// reads.
inline constexpr std::string_view kOpenApiV2Type =
    "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

// The document at /openapi/v2, as protobuf, built once. Source: gnostic's OpenAPIv2.proto, the
// fields' numbers; kubectl's QueryParamVerifier and schema validation.
[[nodiscard]] std::string_view openapi_v2_document();

}  // namespace elbowroom::lab
