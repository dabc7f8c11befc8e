// The scheduler's reactor, run again on what a recording says it saw. See recording/replay_pass.h,
// which is the same for the agent.
#pragma once

#include "base/result.h"
#include "recording/recording_file.h"
#include "recording/replay_pass.h"
#include "recording/replay_report.h"
#include "scheduler/effect.h"
#include "scheduler/observation.h"

namespace elbowroom::scheduler {

using ReplayOptions = recording::ReplayOptions<Observation, Effects>;

// Stops at the first difference unless all are wanted. Invalid: no recording, or not of this
// program; says in which line.
[[nodiscard]] Result<recording::ReplayReport> replay(recording::RecordingReader& from,
                                                     const ReplayOptions& options);

}  // namespace elbowroom::scheduler
