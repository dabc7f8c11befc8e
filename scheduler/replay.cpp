#include "scheduler/replay.h"

#include <memory>
#include <string>
#include <utility>

#include "scheduler/reactor.h"
#include "scheduler/recording_text.h"
#include "scheduler/recording_words.h"

namespace elbowroom::scheduler {
namespace {

struct Program {
  using Observation = scheduler::Observation;
  using Effects = scheduler::Effects;
  using Header = RecordingHeader;
  using Seen = SeenValue;
  using Reactor = scheduler::Reactor;
  using SeenLines = SeenReader;

  static Result<RecordedLine> read_line(std::string_view line) {
    return scheduler::read_line(line);
  }
  static std::string header_line(const Header& header) { return scheduler::header_line(header); }
  static std::string did_line(const Effects& effects) { return scheduler::did_line(effects); }
  static std::string effect_text(const Effect& effect) { return scheduler::effect_text(effect); }
  static std::string in_words(const Observation& seen) { return scheduler::in_words(seen); }
  static void tell_of(const Header& header, recording::ReplayReport& report) {
    report.program = "elbowroom-scheduler";
    report.mode = header.options.places_for.empty() ? "resize" : "full";
    if (header.options.dry_run) report.mode += ", dry run";
  }
  static std::unique_ptr<Reactor> begin(Header header) {
    return std::make_unique<Reactor>(std::move(header.options));
  }
};

}  // namespace

Result<recording::ReplayReport> replay(recording::RecordingReader& from,
                                       const ReplayOptions& options) {
  return recording::replay<Program>(from, options);
}

}  // namespace elbowroom::scheduler
