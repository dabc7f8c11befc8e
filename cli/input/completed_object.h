// Completes an object from a file with what it may leave out: its kind inside a typed list, its
// namespace, and in a scenario its uid. Fields that are set stay unchanged.
#pragma once

#include <string>
#include <string_view>

#include "base/document.h"

namespace elbowroom::cli {

// The object with that kind and a uid: NAMESPACE/NAME, or NAME for an object without a namespace.
[[nodiscard]] Value completed_object(const Value& object, std::string_view kind);

// "KIND NAMESPACE/NAME", the sort key.
[[nodiscard]] std::string object_identity(const Value& object);

}  // namespace elbowroom::cli
