#include "agent/recorder.h"

#include <utility>

namespace elbowroom::agent {

Recorder::Recorder(const std::string& path, std::uint64_t limit, ReactorOptions options,
                   const Disk& disk)
    : options_(std::move(options)), writer_(path, limit, disk) {}

void Recorder::seen(const Reactor& reactor, const Observation& seen) {
  if (!trouble_.empty()) return;
  if (!answered_ || writer_.is_full()) {
    note(writer_.begin(header_line(
        {.version = ELBOWROOM_VERSION, .options = options_, .state = reactor.state()})));
    lines_ = {};
  }
  if (trouble_.empty()) note(writer_.add(lines_.line(seen)));
  answered_ = false;
}

void Recorder::did(const Effects& effects) {
  if (!trouble_.empty()) return;
  const auto written = writer_.add(did_line(effects));
  // No place for them here: what follows begins a file of its own.
  if (!written && written.error().code == Code::Exhausted) return;
  note(written);
  answered_ = true;
}

void Recorder::note(const Result<void>& written) {
  if (!written) trouble_ = written.error().message;
}

}  // namespace elbowroom::agent
