// Writes down what the reactor sees and what it does about it. An observation is on its way to the
// disk before the reactor has it, so what crashes the reactor is in the recording; and a recording
// that cannot be written stops, and disturbs nothing.
#pragma once

#include <cstdint>
#include <string>

#include "agent/reactor.h"
#include "agent/recording_text.h"
#include "base/disk.h"
#include "recording/recording_file.h"

namespace elbowroom::agent {

class Recorder {
 public:
  // `disk` must outlive the recorder; see recording::RecordingWriter.
  Recorder(const std::string& path, std::uint64_t limit, ReactorOptions options, const Disk& disk);

  // Each observation in turn: before the reactor handles it, and what came of it.
  void seen(const Reactor& reactor, const Observation& seen);
  void did(const Effects& effects);

  // Why it stopped; "" while it goes on.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

 private:
  void note(const Result<void>& written);

  ReactorOptions options_;
  recording::RecordingWriter writer_;
  SeenLines lines_{};
  bool answered_ = true;  // the last observation's effects are written
  std::string trouble_{};
};

}  // namespace elbowroom::agent
