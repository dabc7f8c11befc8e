// The agent's reactor, run again on what a recording says it saw. The one thing to know: it is the
// same reactor that ran then, so where other effects come out its behaviour has changed.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/effect.h"
#include "agent/observation.h"
#include "agent/recording_text.h"
#include "base/result.h"
#include "daemon/recording.h"

namespace elbowroom::agent {

// An observation that gave other effects than it did then. Effects are texts as in the recording.
struct ReplayDifference {
  std::size_t line = 0;  // of the observation
  std::string seen{};    // in words
  std::vector<std::string> expected{};
  std::vector<std::string> got{};
};

struct ReplayReport {
  std::string version{};  // of the program that recorded
  std::string node{};
  bool authority = false;
  std::size_t observations = 0;  // that could be compared
  std::size_t effects = 0;       // that came of them
  std::size_t different = 0;     // observations with other effects
  std::optional<ReplayDifference> first{};
  std::optional<std::size_t> torn{};        // the line that is not whole; it was left out
  std::optional<std::size_t> unanswered{};  // the last observation, whose effects are not there
};

struct ReplayOptions {
  std::size_t until = 0;  // the last line that is read; 0: all
  bool all = false;       // go on after a difference
  // Told before the reactor has it, and then what came of it.
  std::function<void(std::size_t line, const Observation& seen)> seen{};
  std::function<void(const Effects& effects)> did{};
  // The lines of a recording that says what comes out now.
  std::function<void(std::string_view line)> rewritten{};
};

// Stops at the first difference unless all are wanted. Invalid: no recording, or not of this
// program; says in which line.
[[nodiscard]] Result<ReplayReport> replay(daemon::RecordingReader& from,
                                          const ReplayOptions& options);

}  // namespace elbowroom::agent
