// The first line of a recording: which program recorded it, in which format, and the input of a
// replay. Program and format are checked before anything else, so that a later format is reported
// as such.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/document.h"
#include "base/result.h"
#include "recording/json_fields.h"

namespace elbowroom::recording {

// The State of a reactor whose recordings begin with the process.
using NoState = std::monostate;

// The input of a replay.
template <class ReactorOptions, class ReactorState = NoState>
struct Header {
  using Options = ReactorOptions;
  using State = ReactorState;

  std::string version{};  // of the program
  Options options{};
  State state{};

  friend bool operator==(const Header&, const Header&) = default;
};

// Checks that `line`, which has a member `recording`, begins a recording of `program` in a format
// up to `last_format`. Invalid: it does not; the error says why.
[[nodiscard]] Result<void> check_header(const Value& line, std::string_view program,
                                        int last_format);

// The program and the latest format that its reader accepts. The format number increases when an
// older reader would misread a recording.
struct RecordedProgram {
  std::string_view name{};
  int format = 1;
};

// The members of the line.
template <class Header>
struct HeaderBody {
  std::string recording{};
  std::int64_t format = 0;
  Header header{};
};
template <class Header>
struct Fields<HeaderBody<Header>> {
  static void list(auto& io, auto& of) {
    auto& [recording, format, header] = of;
    auto& [version, options, state] = header;
    io("recording", recording)("format", format)("version", version)("options", options);
    if constexpr (!std::is_same_v<typename Header::State, NoState>) io("state", state);
  }
};

// Returns the line without a newline.
template <class Header>
[[nodiscard]] std::string header_line(const RecordedProgram& program, Header header) {
  return to_text(HeaderBody<Header>{.recording = std::string(program.name),
                                    .format = program.format,
                                    .header = std::move(header)});
}

template <class Header>
[[nodiscard]] Result<Header> header_from(const RecordedProgram& program, const Value& line) {
  RETURN_IF_ERROR(check_header(line, program.name, program.format));
  ASSIGN_OR_RETURN(HeaderBody<Header> body, from_value<HeaderBody<Header>>(line));
  return std::move(body.header);
}

}  // namespace elbowroom::recording
