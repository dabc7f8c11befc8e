#include "agent/replay.h"

#include <memory>
#include <utility>

#include "agent/reactor.h"
#include "agent/recording_words.h"

namespace elbowroom::agent {
namespace {

std::vector<std::string> texts_of(const Effects& effects) {
  std::vector<std::string> texts;
  for (const Effect& each : effects) texts.push_back(effect_text(each));
  return texts;
}

// One pass over the lines.
class Pass {
 public:
  explicit Pass(const ReplayOptions& options) : options_(options) {}

  [[nodiscard]] Result<void> take(const daemon::RecordingReader::Line& line) {
    ASSIGN_OR_RETURN(RecordedLine read, read_line(line.text));
    line_ = line.number;
    if (auto* header = std::get_if<RecordingHeader>(&read)) return begin(std::move(*header));
    if (!reactor_) return failure(Code::Invalid, "a recording begins with a header");
    if (const auto* seen = std::get_if<SeenValue>(&read)) return see(*seen, line.text);
    return compare(std::get<Effects>(read));
  }

  [[nodiscard]] Result<ReplayReport> end() && {
    if (!reactor_) return failure(Code::Invalid, "it holds no whole header: this is no recording");
    if (waiting_) report_.unanswered = seen_line_;
    return std::move(report_);
  }

  // The rest is left out, whatever it holds.
  void cut_off() { waiting_ = false; }
  // There is nothing more to be found out.
  [[nodiscard]] bool is_over() const { return report_.first && !options_.all; }
  void note_torn(std::size_t line) { report_.torn = line; }

 private:
  [[nodiscard]] Result<void> begin(RecordingHeader header) {
    if (options_.rewritten) {
      options_.rewritten(header_line({ELBOWROOM_VERSION, header.options, header.state}));
    }
    report_.version = std::move(header.version);
    report_.node = header.options.node_name;
    report_.authority = header.options.authority;
    reactor_ = std::make_unique<Reactor>(std::move(header.options), std::move(header.state));
    lines_ = {};
    waiting_ = false;
    return {};
  }

  [[nodiscard]] Result<void> see(const SeenValue& seen, std::string_view line) {
    if (waiting_) {
      return failure(Code::Invalid,
                     "the effects of line " + std::to_string(seen_line_) + " should stand here");
    }
    ASSIGN_OR_RETURN(Observation observation, lines_.read(seen.value));
    seen_line_ = line_;
    waiting_ = true;
    if (options_.seen) options_.seen(line_, observation);
    if (options_.rewritten) options_.rewritten(line);
    got_ = reactor_->handle(observation);
    seen_words_ = in_words(observation);
    if (options_.did) options_.did(got_);
    return {};
  }

  [[nodiscard]] Result<void> compare(const Effects& expected) {
    if (!waiting_) return failure(Code::Invalid, "effects without an observation before them");
    waiting_ = false;
    ++report_.observations;
    report_.effects += got_.size();
    if (options_.rewritten) options_.rewritten(did_line(got_));
    if (did_line(expected) == did_line(got_)) return {};
    ++report_.different;
    if (!report_.first) {
      report_.first = {seen_line_, seen_words_, texts_of(expected), texts_of(got_)};
    }
    return {};
  }

  const ReplayOptions& options_;
  ReplayReport report_{};
  std::unique_ptr<Reactor> reactor_{};
  SeenLines lines_{};
  std::size_t line_ = 0;
  std::size_t seen_line_ = 0;
  bool waiting_ = false;  // for the effects of seen_line_
  std::string seen_words_{};
  Effects got_{};
};

}  // namespace

Result<ReplayReport> replay(daemon::RecordingReader& from, const ReplayOptions& options) {
  Pass pass(options);
  while (!pass.is_over()) {
    ASSIGN_OR_RETURN(const auto line, from.next());
    if (!line) break;
    if (line->torn) {
      pass.note_torn(line->number);
      break;
    }
    if (options.until != 0 && line->number > options.until) {
      pass.cut_off();
      break;
    }
    if (const auto taken = pass.take(*line); !taken) {
      return std::unexpected(taken.error().with("line " + std::to_string(line->number)));
    }
  }
  return std::move(pass).end();
}

}  // namespace elbowroom::agent
