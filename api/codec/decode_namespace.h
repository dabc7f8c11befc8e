// A Namespace of the API as the value that policy decides on. It is its name and its labels.
#pragma once

#include <cstddef>

#include "base/document.h"
#include "base/result.h"
#include "policy/model/namespace.h"

namespace elbowroom::api {

// Invalid: no metadata.name, labels of a wrong type.
[[nodiscard]] Result<policy::Namespace> decode_namespace(const Value& object);

// The bytes that it takes, about.
[[nodiscard]] std::size_t weight_of(const policy::Namespace& seen);

}  // namespace elbowroom::api
