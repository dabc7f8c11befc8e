// A Namespace of the API as the value for decisions: its name and its labels.
#pragma once

#include <cstddef>

#include "base/document.h"
#include "base/result.h"
#include "policy/model/namespace.h"

namespace elbowroom::api {

// Invalid: no metadata.name, labels of a wrong type.
[[nodiscard]] Result<policy::Namespace> decode_namespace(const Value& object);

// Approximate size in bytes.
[[nodiscard]] std::size_t weight_of(const policy::Namespace& seen);

}  // namespace elbowroom::api
