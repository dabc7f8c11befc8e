// The agent's reactor, run again on what a recording says it saw. See recording/replay_pass.h,
// which is the same for every program.
#pragma once

#include "agent/effect.h"
#include "agent/observation.h"
#include "base/result.h"
#include "recording/recording_file.h"
#include "recording/replay_pass.h"
#include "recording/replay_report.h"

namespace elbowroom::agent {

using recording::ReplayDifference;
using recording::ReplayReport;
using ReplayOptions = recording::ReplayOptions<Observation, Effects>;

// Stops at the first difference unless all are wanted. Invalid: no recording, or not of this
// program; says in which line.
[[nodiscard]] Result<ReplayReport> replay(recording::RecordingReader& from,
                                          const ReplayOptions& options);

}  // namespace elbowroom::agent
