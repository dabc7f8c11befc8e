// Records what a reactor sees and what it does about it. An observation is written before the
// reactor handles it, so the recording contains the observation that crashes a reactor. A recording
// that cannot be written stops, and affects nothing else.
//
// A Recording defines one program's recording:
//   types Observation, Effects, Options, Reactor, SeenLines;
//   kBeginsAgain: a full file is followed by one that begins with the reactor's state. Otherwise
//   FILE begins with the process, ends when it is full, and has the whole limit;
//   static functions header_line(options, reactor), lines_of(seen_lines, observation),
//   did_line(effects).
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/disk.h"
#include "base/result.h"
#include "recording/recording_file.h"

namespace elbowroom::recording {

template <class Recording>
class Recorder {
 public:
  using Observation = typename Recording::Observation;
  using Effects = typename Recording::Effects;
  using Options = typename Recording::Options;
  using Reactor = typename Recording::Reactor;

  // `disk` must outlive the recorder; see RecordingWriter.
  Recorder(const std::string& path, std::uint64_t limit, Options options, const Disk& disk)
      : options_(std::move(options)),
        writer_(path, Recording::kBeginsAgain ? limit : limit * kFiles, disk) {}

  // Records an observation before the reactor handles it, then its effects.
  void seen(const Reactor& reactor, const Observation& seen) {
    if (!trouble_.empty()) return;
    if (begins()) {
      note(writer_.begin(Recording::header_line(options_, reactor)));
      lines_ = {};
      begun_ = true;
    }
    for (const std::string& line : Recording::lines_of(lines_, seen)) {
      if (trouble_.empty()) note(writer_.add(line));
    }
    answered_ = false;
  }
  void did(const Effects& effects) {
    if (!trouble_.empty()) return;
    const auto written = writer_.add(Recording::did_line(effects));
    // No room for them here: what follows begins a new file.
    if (Recording::kBeginsAgain && !written && written.error().code == Code::Exhausted) return;
    note(written);
    answered_ = true;
  }

  // Returns why the recording stopped; "" while it continues.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

 private:
  // The number of files that share a writer's limit.
  static constexpr std::uint64_t kFiles = 4;

  [[nodiscard]] bool begins() const {
    return Recording::kBeginsAgain ? !answered_ || writer_.is_full() : !begun_;
  }

  void note(const Result<void>& written) {
    if (written) return;
    const bool is_full = !Recording::kBeginsAgain && written.error().code == Code::Exhausted;
    trouble_ =
        is_full ? "it is full: raise recordLimit to record for longer" : written.error().message;
  }

  Options options_;
  RecordingWriter writer_;
  typename Recording::SeenLines lines_{};
  bool begun_ = false;
  bool answered_ = true;  // the last observation's effects are written
  std::string trouble_{};
};

}  // namespace elbowroom::recording
