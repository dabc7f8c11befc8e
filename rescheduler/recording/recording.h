// Recordings of the rescheduler: written while it runs, and run again. A recording begins with the
// process and ends when the file is full.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cluster/seen_lines.h"
#include "control/process_recording.h"
#include "recording/recording_file.h"
#include "recording/replay_pass.h"
#include "recording/replay_report.h"
#include "rescheduler/reactor.h"
#include "rescheduler/recording/recording_fields.h"
#include "rescheduler/recording/recording_words.h"
#include "rescheduler/wire.h"

namespace elbowroom::rescheduler {

// A long list of pods comes in parts (cluster/seen_lines.h).
struct Recording : control::ProcessRecording<Wire::Daemon, Reactor, ReactorOptions> {
  using SeenLines = cluster::SeenReader<Observation>;

  static std::vector<std::string> lines_of(SeenLines& /*lines*/, const Observation& seen) {
    return cluster::seen_lines(seen);
  }
  static std::string in_words(const Observation& seen) { return rescheduler::in_words(seen); }
};
using ReplayOptions = recording::ReplayOptions<Observation, Effects>;

// Stops at the first difference unless all are wanted. Invalid: no recording, or not of this
// program; says in which line.
[[nodiscard]] Result<recording::ReplayReport> replay(recording::RecordingReader& from,
                                                     const ReplayOptions& options);

}  // namespace elbowroom::rescheduler
