#include "scheduler/recording/recording.h"

#include <utility>

namespace elbowroom::scheduler {

void Recording::tell_of(const Header& header, recording::ReplayReport& report) {
  report.program = kRecorded.name;
  report.mode = header.options.places_for.empty() ? "resize" : "full";
  if (header.options.dry_run) report.mode += ", dry run";
}

std::unique_ptr<Reactor> Recording::begin(Header header) {
  return std::make_unique<Reactor>(std::move(header.options));
}

Result<recording::ReplayReport> replay(recording::RecordingReader& from,
                                       const ReplayOptions& options) {
  return recording::replay<Recording>(from, options);
}

}  // namespace elbowroom::scheduler
