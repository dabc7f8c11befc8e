// The result of a replay. Effects are texts as in the recording, so one report serves every
// program.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace elbowroom::recording {

// An observation whose effects differ from the recorded ones.
struct ReplayDifference {
  std::size_t line = 0;  // of the observation
  std::string seen{};    // in words
  std::vector<std::string> expected{};
  std::vector<std::string> got{};
};

struct ReplayReport {
  std::string program{};         // that made the recording
  std::string version{};         // of the program
  std::string mode{};            // of the program when recorded
  std::string node{};            // that it ran on; "": not on a node
  std::size_t observations = 0;  // number that could be compared
  std::size_t effects = 0;       // number that resulted from them
  std::size_t different = 0;     // observations with different effects
  std::optional<ReplayDifference> first{};
  std::optional<std::size_t> torn{};        // the incomplete line; it is skipped
  std::optional<std::size_t> unanswered{};  // the last observation, if its effects are missing
};

}  // namespace elbowroom::recording
