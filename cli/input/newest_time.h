// The newest time in an object, which is "now" for input without --now. A deletion timestamp lies
// in the future, so its grace period is subtracted.
#pragma once

#include <optional>

#include "base/document.h"
#include "base/result.h"
#include "policy/model/time.h"

namespace elbowroom::cli {

// The newest of the object's creation, start, condition and container times and of its deletion
// timestamp less its grace period; nothing if it has none. Invalid: a time that is not RFC 3339.
[[nodiscard]] Result<std::optional<policy::Time>> newest_time(const Value& object);

}  // namespace elbowroom::cli
