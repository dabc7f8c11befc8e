#include "scheduler/recorder.h"

#include <utility>

namespace elbowroom::scheduler {
namespace {

// Of a writer's limit, which it shares with those before it.
constexpr std::uint64_t kFiles = 4;

}  // namespace

Recorder::Recorder(const std::string& path, std::uint64_t limit, ReactorOptions options,
                   const Disk& disk)
    : options_(std::move(options)), writer_(path, limit * kFiles, disk) {}

void Recorder::seen(const Observation& seen) {
  if (!trouble_.empty()) return;
  if (!std::exchange(begun_, true)) {
    note(writer_.begin(header_line({.version = ELBOWROOM_VERSION, .options = options_})));
  }
  for (const std::string& line : seen_lines(seen)) {
    if (trouble_.empty()) note(writer_.add(line));
  }
}

void Recorder::did(const Effects& effects) {
  if (trouble_.empty()) note(writer_.add(did_line(effects)));
}

void Recorder::note(const Result<void>& written) {
  if (written) return;
  trouble_ = written.error().code == Code::Exhausted
                 ? "it is full: raise recordLimit to record for longer"
                 : written.error().message;
}

}  // namespace elbowroom::scheduler
