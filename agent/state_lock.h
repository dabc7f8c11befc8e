// The state directory, taken for one agent alone. The kernel lets the lock go when the process
// ends, however that ends, so nothing has to be cleaned up after a crash.
#pragma once

#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace elbowroom::agent {

// Holds `directory` until the descriptor is closed; makes it (0700) where it is missing, but writes
// nothing into it, so that a full disk stops no start. Unavailable: another agent holds it.
// Invalid: it is no directory and cannot become one. Both say what to do.
[[nodiscard]] Result<Fd> lock_state(const std::string& directory);

}  // namespace elbowroom::agent
