// Strict decoding of objects, as the API server does it: unknown fields, duplicate keys, values of
// another type. An unknown field is never stored; the client only chooses whether it is reported.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/apiserver/api_error.h"
#include "lab/world/json.h"
#include "lab/world/kind.h"

namespace elbowroom::lab {

// The query's fieldValidation. Warn is the server's default.
enum class FieldValidation { Ignore, Warn, Strict };

// 400 for any other word.
[[nodiscard]] Answer<FieldValidation> field_validation(const std::string& asked);

// Removes the fields that the kind does not have from the object and returns them as `unknown field
// "spec.foo"`.
[[nodiscard]] std::vector<std::string> drop_unknown_fields(const Kind& kind, Json& object);

// The duplicate keys in a mapping of the text, as `duplicate field "spec.foo"`, at most 100.
// Requires text that parse_object() accepts.
[[nodiscard]] std::vector<std::string> duplicate_fields(std::string_view text);

// 400 when the field cannot hold a value of that type.
[[nodiscard]] std::optional<ApiError> refuse_types(const Kind& kind, const Json& object);

// 400, `... strict decoding error: A, B`. Requires at least one problem.
[[nodiscard]] ApiError strict_error(const Kind& kind, const std::vector<std::string>& problems);

}  // namespace elbowroom::lab
