// What a replay has found. Effects are texts as in the recording, so one report serves every
// program.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace elbowroom::recording {

// An observation that gave other effects than it did then.
struct ReplayDifference {
  std::size_t line = 0;  // of the observation
  std::string seen{};    // in words
  std::vector<std::string> expected{};
  std::vector<std::string> got{};
};

struct ReplayReport {
  std::string program{};         // that recorded
  std::string version{};         // of it
  std::string mode{};            // that it ran in
  std::string node{};            // that it ran on; "": it is no node's
  std::size_t observations = 0;  // that could be compared
  std::size_t effects = 0;       // that came of them
  std::size_t different = 0;     // observations with other effects
  std::optional<ReplayDifference> first{};
  std::optional<std::size_t> torn{};        // the line that is not whole; it was left out
  std::optional<std::size_t> unanswered{};  // the last observation, whose effects are not there
};

}  // namespace elbowroom::recording
