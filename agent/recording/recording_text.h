// A recording of the agent as lines of text: a header, then what was seen and what was done about
// it, in turn. Each line is one JSON object, lossless and with its keys in a fixed order, so equal
// values are equal bytes.
//
//   {"recording":"elbowroomd","format":1,"version":"0.1.0","options":{...},"state":{...}}
//   {"seen":{"at":{...},"what":{"podSeen":{...}}}}
//   {"did":[{"id":7,"what":{"writeStatus":{...}}}]}
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "agent/effect.h"
#include "agent/observation.h"
#include "agent/reactor.h"
#include "agent/reactor_state.h"
#include "agent/worker/inbox.h"
#include "base/document.h"
#include "base/result.h"
#include "recording/recording_header.h"
#include "recording/recording_line.h"

namespace elbowroom::agent {

inline constexpr recording::RecordedProgram kRecorded{.name = "elbowroomd", .format = 1};

// What a replay begins with.
using RecordingHeader = recording::Header<ReactorOptions, ReactorState>;

// Without a newline at the end.
[[nodiscard]] std::string header_line(const RecordingHeader& header);
[[nodiscard]] std::string did_line(const Effects& effects);
// One effect as in did_line.
[[nodiscard]] std::string effect_text(const Effect& effect);

// Lines of what was seen. It remembers what the runtime last showed, and writes only what is
// different: one that begins anew shows all of it.
class SeenLines {
 public:
  [[nodiscard]] std::string line(const Observation& seen);

  // Reads what another one wrote, from its beginning on.
  [[nodiscard]] Result<Observation> read(const Value& seen);

 private:
  std::map<std::string, PodReport, std::less<>> runtime_{};
  bool shown_ = false;
};

// A line that was read: the header, what stands behind "seen", or the effects.
using RecordedLine = std::variant<RecordingHeader, recording::SeenValue, Effects>;

// Invalid: no line of a recording, or one of a later format; says where in the line and why.
[[nodiscard]] Result<RecordedLine> read_line(std::string_view line);

}  // namespace elbowroom::agent
