// Objects read strictly, as the API server decodes them: fields that nobody knows, keys that come
// twice, values of another type. An unknown field never reaches the world; the client chooses only
// whether it is told.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/apiserver/api_error.h"
#include "lab/world/json.h"
#include "lab/world/kind.h"

namespace elbowroom::lab {

// The query's fieldValidation. Warn is what a server does that is not asked.
enum class FieldValidation { Ignore, Warn, Strict };

// 400 for any other word.
[[nodiscard]] Answer<FieldValidation> field_validation(const std::string& asked);

// Takes the fields that the kind does not have out of the object; tells them as
// `unknown field "spec.foo"`.
[[nodiscard]] std::vector<std::string> drop_unknown_fields(const Kind& kind, Json& object);

// The keys that come twice in a mapping of the text, as `duplicate field "spec.foo"`, at most 100.
// Requires text that parse_object() takes.
[[nodiscard]] std::vector<std::string> duplicate_fields(std::string_view text);

// 400 where a value is of a type that the field cannot hold.
[[nodiscard]] std::optional<ApiError> refuse_types(const Kind& kind, const Json& object);

// 400, `... strict decoding error: A, B`. Requires at least one problem.
[[nodiscard]] ApiError strict_error(const Kind& kind, const std::vector<std::string>& problems);

}  // namespace elbowroom::lab
