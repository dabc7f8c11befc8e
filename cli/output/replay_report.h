// What a replay has found, for people and for programs. Texts of a recording come from a cluster,
// so they are made fit for a terminal here.
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

// A few lines that end with a newline: the sum, and the first difference.
[[nodiscard]] std::string in_words(const ReplayedFile& replayed);

// Kind ReplayReport.
[[nodiscard]] Value encode(const std::vector<ReplayedFile>& all);

// The effects that differ, "- " before what was recorded and "+ " before what came out, one a line;
// those of a great many, and the middle of long ones, are left out.
[[nodiscard]] std::vector<std::string> short_difference(const recording::ReplayDifference& of);

}  // namespace elbowroom::cli
