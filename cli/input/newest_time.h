// The newest time an object speaks of, which is what "now" is for input without --now. A deletion
// timestamp lies in the future, so it counts less its grace period.
#pragma once

#include <optional>

#include "base/document.h"
#include "base/result.h"
#include "policy/model/time.h"

namespace elbowroom::cli {

// The newest of the object's creation, start, condition and container times and of its deletion
// timestamp less its grace period; nothing where it has none. Invalid: a time that is not RFC 3339.
[[nodiscard]] Result<std::optional<policy::Time>> newest_time(const Value& object);

}  // namespace elbowroom::cli
