// Replays a recording line by line; the same for every program. The reactor is the one that ran
// then, so different effects mean that its behaviour has changed.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "recording/recording_file.h"
#include "recording/recording_line.h"
#include "recording/replay_report.h"

namespace elbowroom::recording {

template <class Observation, class Effects>
struct ReplayOptions {
  std::size_t until = 0;  // the last line to read; 0: all
  bool all = false;       // continue after a difference
  // Called before the reactor handles an observation, and then with its effects.
  std::function<void(std::size_t line, const Observation& seen)> seen{};
  std::function<void(const Effects& effects)> did{};
  // Receives the lines of a recording with the effects of this run.
  std::function<void(std::string_view line)> rewritten{};
};

// One pass over the lines. A Recording has, in addition to what recording/recorder.h requires:
//   the type Header; SeenLines with read(value), which returns nothing until an observation is
//   complete;
//   static Result<variant<Header, SeenValue, Effects>> read_line(text), header_text(header),
//   effect_text(effect), in_words(observation), tell_of(header, report), and a Reactor made by
//   begin(header).
template <class Recording>
class ReplayPass {
 public:
  using Observation = typename Recording::Observation;
  using Effects = typename Recording::Effects;
  using Header = typename Recording::Header;
  using Options = ReplayOptions<Observation, Effects>;

  explicit ReplayPass(const Options& options) : options_(options) {}

  [[nodiscard]] Result<void> take(const recording::RecordingReader::Line& line) {
    ASSIGN_OR_RETURN(auto read, Recording::read_line(line.text));
    line_ = line.number;
    if (auto* header = std::get_if<Header>(&read)) return begin(std::move(*header), line.text);
    if (!reactor_) return failure(Code::Invalid, "a recording begins with a header");
    if (const auto* effects = std::get_if<Effects>(&read)) return compare(*effects);
    return see(std::get<SeenValue>(read), line.text);
  }

  [[nodiscard]] Result<ReplayReport> end() && {
    if (!reactor_) return failure(Code::Invalid, "it holds no whole header: this is no recording");
    if (waiting_) report_.unanswered = seen_line_;
    return std::move(report_);
  }

  // The rest is not read, whatever it holds.
  void cut_off() { waiting_ = false; }
  // True if the result can no longer change.
  [[nodiscard]] bool is_over() const { return report_.first && !options_.all; }
  void note_torn(std::size_t line) { report_.torn = line; }

 private:
  [[nodiscard]] Result<void> begin(Header header, std::string_view /*line*/) {
    if (options_.rewritten) {
      Header now = header;
      now.version = ELBOWROOM_VERSION;
      options_.rewritten(Recording::header_text(now));
    }
    report_.version = header.version;
    Recording::tell_of(header, report_);
    reactor_ = Recording::begin(std::move(header));
    lines_ = {};
    waiting_ = false;
    return {};
  }

  [[nodiscard]] Result<void> see(const SeenValue& seen, std::string_view line) {
    if (waiting_) {
      return failure(Code::Invalid,
                     "the effects of line " + std::to_string(seen_line_) + " should stand here");
    }
    ASSIGN_OR_RETURN(std::optional<Observation> observation, lines_.read(seen.value));
    if (options_.rewritten) options_.rewritten(line);
    if (!observation) return {};  // the first part of an observation
    seen_line_ = line_;
    waiting_ = true;
    if (options_.seen) options_.seen(line_, *observation);
    seen_words_ = Recording::in_words(*observation);
    got_ = reactor_->handle(*std::move(observation));
    if (options_.did) options_.did(got_);
    return {};
  }

  [[nodiscard]] Result<void> compare(const Effects& expected) {
    if (!waiting_) return failure(Code::Invalid, "effects without an observation before them");
    waiting_ = false;
    ++report_.observations;
    report_.effects += got_.size();
    if (options_.rewritten) options_.rewritten(Recording::did_line(got_));
    if (Recording::did_line(expected) == Recording::did_line(got_)) return {};
    ++report_.different;
    if (!report_.first) {
      report_.first = {seen_line_, seen_words_, texts_of(expected), texts_of(got_)};
    }
    return {};
  }

  static std::vector<std::string> texts_of(const Effects& effects) {
    std::vector<std::string> texts;
    for (const auto& each : effects) texts.push_back(Recording::effect_text(each));
    return texts;
  }

  const Options& options_;
  ReplayReport report_{};
  std::unique_ptr<typename Recording::Reactor> reactor_{};
  typename Recording::SeenLines lines_{};
  std::size_t line_ = 0;
  std::size_t seen_line_ = 0;
  bool waiting_ = false;  // for the effects of seen_line_
  std::string seen_words_{};
  Effects got_{};
};

// Stops at the first difference unless all are requested. Invalid: not a recording, or not of this
// program; the error names the line.
template <class Recording>
[[nodiscard]] Result<ReplayReport> replay(
    recording::RecordingReader& from,
    const ReplayOptions<typename Recording::Observation, typename Recording::Effects>& options) {
  ReplayPass<Recording> pass(options);
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

}  // namespace elbowroom::recording
