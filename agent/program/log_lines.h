// What the agent's log tells of effects and observations; control/log_lines.h has the watches. The
// level info is for what changes something of a user's and that no other line tells; debug has
// every effect and its failure.
#pragma once

#include <vector>

#include "agent/effect.h"
#include "agent/observation.h"
#include "agent/status.h"
#include "daemon/log/log_entry.h"

namespace elbowroom::agent {

// Of an effect that is about to be performed.
[[nodiscard]] std::vector<daemon::LogEntry> lines_of(const Effect& effect);

// Of an observation, where a line is worth it: what failed, what is lost and back, whole lists.
[[nodiscard]] std::vector<daemon::LogEntry> lines_of(const Observation& seen);

// What somebody else undid, as noticed with the last observation.
[[nodiscard]] std::vector<daemon::LogEntry> lines_of(const Snapshot& now);

}  // namespace elbowroom::agent
