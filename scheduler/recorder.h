// Writes down what the scheduler's reactor sees and what it does about it. It begins with the
// process and ends when the file is full, because a reactor that begins in the middle would have to
// be told all of a cluster; and a recording that cannot be written stops, and disturbs nothing.
#pragma once

#include <cstdint>
#include <string>

#include "base/disk.h"
#include "recording/recording_file.h"
#include "scheduler/recording_text.h"

namespace elbowroom::scheduler {

class Recorder {
 public:
  // FILE alone holds `limit` bytes; `disk` must outlive the recorder.
  Recorder(const std::string& path, std::uint64_t limit, ReactorOptions options, const Disk& disk);

  // Each observation in turn: before the reactor handles it, and what came of it.
  void seen(const Observation& seen);
  void did(const Effects& effects);

  // Why it stopped; "" while it goes on.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

 private:
  void note(const Result<void>& written);

  ReactorOptions options_;
  recording::RecordingWriter writer_;
  bool begun_ = false;
  std::string trouble_{};
};

}  // namespace elbowroom::scheduler
