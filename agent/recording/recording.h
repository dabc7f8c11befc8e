// Recordings of the agent: written while it runs, and run again. A file that is full is followed by
// one that begins with the reactor's state, so each can be replayed on its own.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/reactor.h"
#include "agent/recording/recording_text.h"
#include "agent/recording/recording_words.h"
#include "base/result.h"
#include "recording/recorder.h"
#include "recording/recording_file.h"
#include "recording/replay_pass.h"
#include "recording/replay_report.h"

namespace elbowroom::agent {

// See recording/recorder.h and recording/replay_pass.h.
struct Recording {
  using Observation = agent::Observation;
  using Effects = agent::Effects;
  using Options = ReactorOptions;
  using Header = RecordingHeader;
  using Reactor = agent::Reactor;
  using SeenLines = agent::SeenLines;
  static constexpr bool kBeginsAgain = true;

  static std::string header_line(const Options& options, const Reactor& reactor) {
    return agent::header_line(
        {.version = ELBOWROOM_VERSION, .options = options, .state = reactor.state()});
  }
  static std::vector<std::string> lines_of(SeenLines& lines, const Observation& seen) {
    return {lines.line(seen)};
  }
  static std::string did_line(const Effects& effects) { return agent::did_line(effects); }

  static Result<RecordedLine> read_line(std::string_view line) { return agent::read_line(line); }
  static std::string header_text(const Header& header) { return agent::header_line(header); }
  static std::string effect_text(const Effect& effect) { return agent::effect_text(effect); }
  static std::string in_words(const Observation& seen) { return agent::in_words(seen); }
  static void tell_of(const Header& header, recording::ReplayReport& report);
  static std::unique_ptr<Reactor> begin(Header header);
};

using Recorder = recording::Recorder<Recording>;
using ReplayOptions = recording::ReplayOptions<Observation, Effects>;
using recording::ReplayReport;

// Stops at the first difference unless all are wanted. Invalid: no recording, or not of this
// program; says in which line.
[[nodiscard]] Result<ReplayReport> replay(recording::RecordingReader& from,
                                          const ReplayOptions& options);

}  // namespace elbowroom::agent
