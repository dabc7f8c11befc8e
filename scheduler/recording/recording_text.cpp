#include "scheduler/recording/recording_text.h"

#include <cstddef>
#include <span>
#include <utility>

#include "recording/seen_line.h"
#include "scheduler/recording/recording_fields.h"

namespace elbowroom::scheduler {
namespace {

// Of one line: a pod with many containers and labels takes some ten KB.
constexpr std::size_t kPodsOfALine = 500;
// Of one list, in all its parts.
constexpr std::size_t kMostPods = 1'000'000;

Result<RecordingHeader> header_from(const Value& line) {
  return recording::header_from<RecordingHeader>(kRecorded, line);
}

}  // namespace

std::string header_line(const RecordingHeader& header) {
  return recording::header_line(kRecorded, header);
}

std::string did_line(const Effects& effects) { return recording::did_line(effects); }

std::string effect_text(const Effect& effect) { return recording::to_text(effect); }

std::vector<std::string> seen_lines(const Observation& seen) {
  const auto* list = std::get_if<PodsListed>(&seen.what);
  if (list == nullptr || list->objects.size() <= kPodsOfALine) return {recording::seen_line(seen)};
  std::vector<std::string> lines;
  std::span<const cluster::PackedPod> left(list->objects);
  while (left.size() > kPodsOfALine) {
    const std::vector<cluster::PackedPod> part(left.begin(), left.begin() + kPodsOfALine);
    lines.push_back(R"({"seen":{"part":)" + recording::to_text(part) + "}}");
    left = left.subspan(kPodsOfALine);
  }
  lines.push_back(recording::seen_line(Observation{
      .at = seen.at,
      .what = PodsListed{.objects = {left.begin(), left.end()}, .unreadable = list->unreadable}}));
  return lines;
}

Result<std::optional<Observation>> SeenReader::read(const Value& seen) {
  if (const Value* part = seen.find("part")) {
    ASSIGN_OR_RETURN(auto pods, recording::from_value<std::vector<cluster::PackedPod>>(*part));
    if (parts_.size() + pods.size() > kMostPods) {
      return failure(Code::Invalid, "a list of more than 1000000 pods");
    }
    for (cluster::PackedPod& each : pods) parts_.push_back(std::move(each));
    return std::optional<Observation>();
  }
  ASSIGN_OR_RETURN(Observation made, recording::seen_from<Observation>(seen));
  if (auto* list = std::get_if<PodsListed>(&made.what); list != nullptr && !parts_.empty()) {
    for (cluster::PackedPod& each : list->objects) parts_.push_back(std::move(each));
    list->objects = std::exchange(parts_, {});
  } else if (!parts_.empty()) {
    return failure(Code::Invalid, "parts of a list of pods, and no list after them");
  }
  return std::optional(std::move(made));
}

Result<RecordedLine> read_line(std::string_view line) {
  return recording::read_line<RecordedLine>(line, header_from);
}

}  // namespace elbowroom::scheduler
