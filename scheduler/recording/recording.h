// Recordings of the scheduler: written while it runs, and run again. A recording begins with the
// process and ends when the file is full, because a reactor that begins in the middle would have to
// receive a whole cluster first.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "recording/recorder.h"
#include "recording/recording_file.h"
#include "recording/replay_pass.h"
#include "recording/replay_report.h"
#include "scheduler/reactor.h"
#include "scheduler/recording/recording_text.h"
#include "scheduler/recording/recording_words.h"

namespace elbowroom::scheduler {

// See recording/recorder.h and recording/replay_pass.h.
struct Recording {
  using Observation = scheduler::Observation;
  using Effects = scheduler::Effects;
  using Options = ReactorOptions;
  using Header = RecordingHeader;
  using Reactor = scheduler::Reactor;
  using SeenLines = SeenReader;
  static constexpr bool kBeginsAgain = false;

  static std::string header_line(const Options& options, const Reactor& /*reactor*/) {
    return scheduler::header_line({.version = ELBOWROOM_VERSION, .options = options});
  }
  static std::vector<std::string> lines_of(SeenLines& /*lines*/, const Observation& seen) {
    return seen_lines(seen);
  }
  static std::string did_line(const Effects& effects) { return scheduler::did_line(effects); }

  static Result<RecordedLine> read_line(std::string_view line) {
    return scheduler::read_line(line);
  }
  static std::string header_text(const Header& header) { return scheduler::header_line(header); }
  static std::string effect_text(const Effect& effect) { return scheduler::effect_text(effect); }
  static std::string in_words(const Observation& seen) { return scheduler::in_words(seen); }
  static void tell_of(const Header& header, recording::ReplayReport& report);
  static std::unique_ptr<Reactor> begin(Header header);
};

using Recorder = recording::Recorder<Recording>;
using ReplayOptions = recording::ReplayOptions<Observation, Effects>;

// Stops at the first difference unless all are wanted. Invalid: no recording, or not of this
// program; says in which line.
[[nodiscard]] Result<recording::ReplayReport> replay(recording::RecordingReader& from,
                                                     const ReplayOptions& options);

}  // namespace elbowroom::scheduler
