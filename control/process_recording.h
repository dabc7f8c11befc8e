// Recordings of a daemon that begin with its process, each observation a line: what recorder and
// replay want to know of them (recording/recorder.h, recording/replay_pass.h). They end when the
// file is full, because a reactor that begins in the middle would have to receive a whole cluster
// first.
//
// Daemon is as in control/api_line.h; ReactorOptions have Fields, as what is observed and done has.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "control/recording_fields.h"
#include "recording/recording_header.h"
#include "recording/recording_line.h"
#include "recording/replay_report.h"
#include "recording/seen_line.h"

namespace elbowroom::control {

template <class Daemon, class ReactorType, class ReactorOptions>
struct ProcessRecording {
  using Observation = typename Daemon::Observation;
  using Effect = typename Daemon::Effect;
  using Effects = typename Daemon::Effects;
  using Options = ReactorOptions;
  using Header = recording::Header<Options>;
  using Reactor = ReactorType;
  using Line = std::variant<Header, recording::SeenValue, Effects>;
  // An observation is one line.
  struct SeenLines {
    static Result<std::optional<Observation>> read(const Value& seen) {
      return recording::seen_from<Observation>(seen);
    }
  };

  static constexpr bool kBeginsAgain = false;
  static constexpr recording::RecordedProgram kRecorded{.name = Daemon::kName};

  static std::string header_line(const Options& options, const Reactor& /*reactor*/) {
    return header_text({.version = ELBOWROOM_VERSION, .options = options});
  }
  static std::vector<std::string> lines_of(SeenLines& /*lines*/, const Observation& seen) {
    return {recording::seen_line(seen)};
  }
  static std::string did_line(const Effects& effects) { return recording::did_line(effects); }

  static Result<Line> read_line(std::string_view line) {
    return recording::read_line<Line>(
        line, [](const Value& value) { return recording::header_from<Header>(kRecorded, value); });
  }
  static std::string header_text(const Header& header) {
    return recording::header_line(kRecorded, header);
  }
  static std::string effect_text(const Effect& effect) { return recording::to_text(effect); }
  static std::string in_words(const Observation& seen) { return recording::to_text(seen.what); }
  static void tell_of(const Header& /*header*/, recording::ReplayReport& report) {
    report.program = Daemon::kName;
  }
  static std::unique_ptr<Reactor> begin(Header header) {
    return std::make_unique<Reactor>(std::move(header.options));
  }
};

}  // namespace elbowroom::control
