// The result of a replay, for users and for programs. Texts of a recording come from a cluster, so
// they are sanitized here.
#pragma once

#include <string>
#include <vector>

#include "base/document.h"
#include "recording/replay_report.h"

namespace elbowroom::cli {

struct ReplayedFile {
  std::string file{};
  recording::ReplayReport report{};
  bool rewritten = false;
};

// A few lines that end with a newline: the summary, and the first difference.
[[nodiscard]] std::string in_words(const ReplayedFile& replayed);

// Kind ReplayReport.
[[nodiscard]] Value encode(const std::vector<ReplayedFile>& all);

// The effects that differ, one a line: "- " before a recorded effect and "+ " before a replayed
// one. Long lists are cut, and so is the middle of long effects.
[[nodiscard]] std::vector<std::string> short_difference(const recording::ReplayDifference& of);

}  // namespace elbowroom::cli
