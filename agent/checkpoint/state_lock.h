// Locks the state directory for one agent. The kernel releases the lock when the process ends,
// however it ends, so a crash needs no cleanup.
#pragma once

#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace elbowroom::agent {

// Holds `directory` until the descriptor is closed. Creates it (0700) if it is missing, but writes
// nothing into it, so that a full disk prevents no start. No link is followed, except root's in
// the place of a parent. Unavailable: another agent holds it. Invalid: it is a link or no
// directory, or others than its owner, who is this user or root, may write to it. All errors name
// the remedy.
[[nodiscard]] Result<Fd> lock_state(const std::string& directory);

}  // namespace elbowroom::agent
