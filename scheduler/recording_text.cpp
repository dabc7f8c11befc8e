#include "scheduler/recording_text.h"

#include <cstddef>
#include <span>
#include <utility>

#include "recording/recording_header.h"
#include "recording/recording_line.h"
#include "scheduler/recording_fields.h"

namespace elbowroom::scheduler {
namespace {

constexpr std::string_view kProgram = "elbowroom-scheduler";

// Of one line: a pod with many containers and labels takes some ten KB.
constexpr std::size_t kPodsOfALine = 500;
// Of one list, in all its parts.
constexpr std::size_t kMostPods = 1'000'000;

struct HeaderBody {
  std::string recording{};
  std::int64_t format = 0;
  std::string version{};
  ReactorOptions options{};
};

struct SeenBody {
  Moment at{};
  decltype(Observation::what) what{};
};

}  // namespace
}  // namespace elbowroom::scheduler

template <>
struct elbowroom::recording::Fields<elbowroom::scheduler::HeaderBody> {
  static void list(auto& io, auto& of) {
    auto& [recording, format, version, options] = of;
    io("recording", recording)("format", format)("version", version)("options", options);
  }
};
template <>
struct elbowroom::recording::Fields<elbowroom::scheduler::SeenBody> {
  static void list(auto& io, auto& of) {
    auto& [at, what] = of;
    io("at", at)("what", what);
  }
};

namespace elbowroom::scheduler {
namespace {

Result<RecordingHeader> header_from(const Value& line) {
  RETURN_IF_ERROR(recording::check_header(line, kProgram, kRecordingFormat));
  ASSIGN_OR_RETURN(HeaderBody body, recording::from_value<HeaderBody>(line));
  return RecordingHeader{.version = std::move(body.version), .options = std::move(body.options)};
}

std::string body_line(const Observation& seen) {
  return R"({"seen":{"at":)" + recording::to_text(seen.at) + R"(,"what":)" +
         recording::to_text(seen.what) + "}}";
}

}  // namespace

std::string header_line(const RecordingHeader& header) {
  return recording::to_text(HeaderBody{.recording = std::string(kProgram),
                                       .format = kRecordingFormat,
                                       .version = header.version,
                                       .options = header.options});
}

std::string did_line(const Effects& effects) {
  return R"({"did":)" + recording::to_text(effects) + "}";
}

std::string effect_text(const Effect& effect) { return recording::to_text(effect); }

std::vector<std::string> seen_lines(const Observation& seen) {
  const auto* list = std::get_if<PodsListed>(&seen.what);
  if (list == nullptr || list->pods.size() <= kPodsOfALine) return {body_line(seen)};
  std::vector<std::string> lines;
  std::span<const cluster::PackedPod> left(list->pods);
  while (left.size() > kPodsOfALine) {
    const std::vector<cluster::PackedPod> part(left.begin(), left.begin() + kPodsOfALine);
    lines.push_back(R"({"seen":{"part":)" + recording::to_text(part) + "}}");
    left = left.subspan(kPodsOfALine);
  }
  lines.push_back(body_line(
      {.at = seen.at,
       .what = PodsListed{.pods = {left.begin(), left.end()}, .unreadable = list->unreadable}}));
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
  if (seen.find("what") == nullptr) return failure(Code::Invalid, ".what is missing");
  ASSIGN_OR_RETURN(SeenBody body, recording::from_value<SeenBody>(seen));
  if (auto* list = std::get_if<PodsListed>(&body.what); list != nullptr && !parts_.empty()) {
    for (cluster::PackedPod& each : list->pods) parts_.push_back(std::move(each));
    list->pods = std::exchange(parts_, {});
  } else if (!parts_.empty()) {
    return failure(Code::Invalid, "parts of a list of pods, and no list after them");
  }
  return std::optional(Observation{.at = body.at, .what = std::move(body.what)});
}

Result<RecordedLine> read_line(std::string_view line) {
  return recording::read_line<RecordedLine>(line, header_from);
}

}  // namespace elbowroom::scheduler
