#include "scheduler/recording/recording_text.h"

#include "scheduler/recording/recording_fields.h"

namespace elbowroom::scheduler {
namespace {

Result<RecordingHeader> header_from(const Value& line) {
  return recording::header_from<RecordingHeader>(kRecorded, line);
}

}  // namespace

std::string header_line(const RecordingHeader& header) {
  return recording::header_line(kRecorded, header);
}

std::string did_line(const Effects& effects) { return recording::did_line(effects); }

std::string effect_text(const Effect& effect) { return recording::to_text(effect); }

std::vector<std::string> seen_lines(const Observation& seen) { return cluster::seen_lines(seen); }

Result<std::optional<Observation>> SeenReader::read(const Value& seen) {
  return reader_.read(seen);
}

Result<RecordedLine> read_line(std::string_view line) {
  return recording::read_line<RecordedLine>(line, header_from);
}

}  // namespace elbowroom::scheduler
