#include "agent/recording/recording.h"

#include <utility>

namespace elbowroom::agent {

void Recording::tell_of(const Header& header, recording::ReplayReport& report) {
  report.program = kRecorded.name;
  report.mode = header.options.authority ? "authority" : "companion";
  report.node = header.options.node_name;
}

std::unique_ptr<Reactor> Recording::begin(Header header) {
  return std::make_unique<Reactor>(std::move(header.options), std::move(header.state));
}

Result<ReplayReport> replay(recording::RecordingReader& from, const ReplayOptions& options) {
  return recording::replay<Recording>(from, options);
}

}  // namespace elbowroom::agent
