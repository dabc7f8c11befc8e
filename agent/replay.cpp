#include "agent/replay.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "agent/reactor.h"
#include "agent/recording_text.h"
#include "agent/recording_words.h"

namespace elbowroom::agent {
namespace {

struct Program {
  using Observation = agent::Observation;
  using Effects = agent::Effects;
  using Header = RecordingHeader;
  using Seen = SeenValue;
  using Reactor = agent::Reactor;
  // An observation is one line.
  class SeenLines {
   public:
    Result<std::optional<Observation>> read(const Value& seen) {
      ASSIGN_OR_RETURN(Observation made, lines_.read(seen));
      return std::optional(std::move(made));
    }

   private:
    agent::SeenLines lines_{};
  };

  static Result<RecordedLine> read_line(std::string_view line) { return agent::read_line(line); }
  static std::string header_line(const Header& header) { return agent::header_line(header); }
  static std::string did_line(const Effects& effects) { return agent::did_line(effects); }
  static std::string effect_text(const Effect& effect) { return agent::effect_text(effect); }
  static std::string in_words(const Observation& seen) { return agent::in_words(seen); }
  static void tell_of(const Header& header, ReplayReport& report) {
    report.program = "elbowroomd";
    report.mode = header.options.authority ? "authority" : "companion";
    report.node = header.options.node_name;
  }
  static std::unique_ptr<Reactor> begin(Header header) {
    return std::make_unique<Reactor>(std::move(header.options), std::move(header.state));
  }
};

}  // namespace

Result<ReplayReport> replay(recording::RecordingReader& from, const ReplayOptions& options) {
  return recording::replay<Program>(from, options);
}

}  // namespace elbowroom::agent
