// What an object in a file may leave out because it is plain: its kind inside a typed list, its
// namespace, and in a scenario its uid. Nothing that is there is changed.
#pragma once

#include <string>
#include <string_view>

#include "base/document.h"

namespace elbowroom::cli {

// The object with that kind and a uid: NAMESPACE/NAME, or NAME for what has no namespace.
[[nodiscard]] Value completed_object(const Value& object, std::string_view kind);

// "KIND NAMESPACE/NAME", to sort by.
[[nodiscard]] std::string object_identity(const Value& object);

}  // namespace elbowroom::cli
