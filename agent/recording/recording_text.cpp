#include "agent/recording/recording_text.h"

#include <utility>

#include "agent/recording/recording_fields.h"
#include "recording/json_fields.h"

namespace elbowroom::agent {
namespace {

// What the runtime shows now, told as what is different from before.
struct RuntimeChanged {
  std::map<std::string, PodReport, std::less<>> pods{};
  std::vector<std::string> gone{};
};

using Reports = std::map<std::string, PodReport, std::less<>>;

RuntimeChanged difference(const Reports& before, const Reports& after) {
  RuntimeChanged changed;
  for (const auto& [uid, report] : after) {
    const auto was = before.find(uid);
    if (was == before.end() || was->second != report) changed.pods.emplace(uid, report);
  }
  for (const auto& [uid, report] : before) {
    if (!after.contains(uid)) changed.gone.push_back(uid);
  }
  return changed;
}

struct SeenBody {
  Moment at{};
  Seen what{};
  bool more = false;
};

}  // namespace
}  // namespace elbowroom::agent

template <>
struct elbowroom::recording::Fields<elbowroom::agent::RuntimeChanged> {
  static void list(auto& io, auto& of) {
    auto& [pods, gone] = of;
    io("pods", pods)("gone", gone);
  }
};
template <>
struct elbowroom::recording::Fields<elbowroom::agent::SeenBody> {
  static void list(auto& io, auto& of) {
    auto& [at, what, more] = of;
    io("at", at)("what", what)("more", more);
  }
};

namespace elbowroom::agent {
namespace {

Result<RecordingHeader> header_from(const Value& line) {
  ASSIGN_OR_RETURN(auto header, recording::header_from<RecordingHeader>(kRecorded, line));
  RETURN_IF_ERROR(consistent(header.state));
  return header;
}

}  // namespace

std::string header_line(const RecordingHeader& header) {
  return recording::header_line(kRecorded, header);
}

std::string did_line(const Effects& effects) { return recording::did_line(effects); }

std::string effect_text(const Effect& effect) { return recording::to_text(effect); }

std::string SeenLines::line(const Observation& seen) {
  std::string text = R"({"seen":{"at":)" + recording::to_text(seen.at) + R"(,"what":)";
  const auto* runtime = std::get_if<RuntimeSeen>(&seen.what);
  if (runtime != nullptr && shown_) {
    text += R"({"runtimeChanged":)" + recording::to_text(difference(runtime_, runtime->pods)) + "}";
  } else {
    text += recording::to_text(seen.what);
  }
  if (runtime != nullptr) {
    runtime_ = runtime->pods;
    shown_ = true;
  }
  if (seen.more) text += R"(,"more":true)";
  return text + "}}";
}

Result<Observation> SeenLines::read(const Value& seen) {
  const Value* what = seen.find("what");
  const Value* changed = what == nullptr ? nullptr : what->find("runtimeChanged");
  if (what == nullptr) return failure(Code::Invalid, ".what is missing");
  Observation made;
  if (changed == nullptr) {
    ASSIGN_OR_RETURN(SeenBody body, recording::from_value<SeenBody>(seen));
    made = {.at = body.at, .what = std::move(body.what), .more = body.more};
    if (const auto* runtime = std::get_if<RuntimeSeen>(&made.what)) {
      runtime_ = runtime->pods;
      shown_ = true;
    }
    return made;
  }
  if (!shown_) {
    return failure(Code::Invalid, ".what.runtimeChanged stands before any runtimeSeen");
  }
  const Value* at = seen.find("at");
  if (at != nullptr) {
    ASSIGN_OR_RETURN(made.at, recording::from_value<Moment>(*at));
  }
  if (const Value* more = seen.find("more")) {
    ASSIGN_OR_RETURN(made.more, recording::from_value<bool>(*more));
  }
  ASSIGN_OR_RETURN(RuntimeChanged difference, recording::from_value<RuntimeChanged>(*changed));
  for (const std::string& uid : difference.gone) runtime_.erase(uid);
  for (auto& [uid, report] : difference.pods) runtime_[uid] = std::move(report);
  made.what = RuntimeSeen{runtime_};
  return made;
}

Result<RecordedLine> read_line(std::string_view line) {
  return recording::read_line<RecordedLine>(line, header_from);
}

}  // namespace elbowroom::agent
