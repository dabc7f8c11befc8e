// Recordings of the rescheduler: written while it runs, and run again. A recording begins with the
// process and ends when the file is full.
#pragma once

#include "base/result.h"
#include "control/process_recording.h"
#include "recording/recording_file.h"
#include "recording/replay_pass.h"
#include "recording/replay_report.h"
#include "rescheduler/reactor.h"
#include "rescheduler/recording/recording_fields.h"
#include "rescheduler/wire.h"

namespace elbowroom::rescheduler {

using Recording = control::ProcessRecording<Wire::Daemon, Reactor, ReactorOptions>;
using ReplayOptions = recording::ReplayOptions<Observation, Effects>;

// Stops at the first difference unless all are wanted. Invalid: no recording, or not of this
// program; says in which line.
[[nodiscard]] Result<recording::ReplayReport> replay(recording::RecordingReader& from,
                                                     const ReplayOptions& options);

}  // namespace elbowroom::rescheduler
