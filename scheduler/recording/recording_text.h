// A recording of the scheduler as lines of text: a header, then what was seen and what was done
// about it, in turn. It begins with the process, so there is no state to begin with; a long list of
// pods comes in parts, a line each, before its own line.
//
//   {"recording":"elbowroom-scheduler","format":1,"version":"0.1.0","options":{...}}
//   {"seen":{"part":[{...},{...}]}}
//   {"seen":{"at":{...},"what":{"podsListed":{"pods":[{...}]}}}}
//   {"did":[{"id":7,"what":{"markVictim":{...}}}]}
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/document.h"
#include "base/result.h"
#include "cluster/seen_lines.h"
#include "recording/recording_header.h"
#include "recording/recording_line.h"
#include "scheduler/effect.h"
#include "scheduler/observation.h"
#include "scheduler/reactor.h"

namespace elbowroom::scheduler {

inline constexpr recording::RecordedProgram kRecorded{.name = "elbowroom-scheduler", .format = 1};

// What a replay begins with.
using RecordingHeader = recording::Header<ReactorOptions>;

// Without a newline at the end.
[[nodiscard]] std::string header_line(const RecordingHeader& header);
[[nodiscard]] std::string did_line(const Effects& effects);
// One effect as in did_line.
[[nodiscard]] std::string effect_text(const Effect& effect);
// What was seen: its parts, if it has any, and the line that ends it.
[[nodiscard]] std::vector<std::string> seen_lines(const Observation& seen);

// Puts together what seen_lines() took apart, from the beginning of a recording on.
class SeenReader {
 public:
  // `seen` is what stands behind "seen". nullopt: a part.
  [[nodiscard]] Result<std::optional<Observation>> read(const Value& seen);

 private:
  cluster::SeenReader<Observation> reader_{};
};

// A line that was read: the header, what stands behind "seen", or the effects.
using RecordedLine = std::variant<RecordingHeader, recording::SeenValue, Effects>;

// Invalid: no line of a recording, or one of a later format; says where in the line and why.
[[nodiscard]] Result<RecordedLine> read_line(std::string_view line);

}  // namespace elbowroom::scheduler
