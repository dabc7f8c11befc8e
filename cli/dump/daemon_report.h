// What a daemon says of itself, and what it recorded, as objects of a dump. `simulate` and
// `explain` ignore them.
#pragma once

#include <string>

#include "base/document.h"
#include "base/result.h"

namespace elbowroom::cli {

// More of an answer, or of a recording, is not read.
inline constexpr std::size_t kMostReportBytes = std::size_t{16} << 20;

// Kind DaemonReport: {url, readiness, metrics, configuration}, each as the daemon at `url` answers
// it; the version is among the metrics. Invalid: the URL. Unavailable: it does not answer.
[[nodiscard]] Result<Value> daemon_report(const std::string& url);

// Kind Recording: {file, lines}, the last file of a recording, which replays by itself. Exhausted:
// it is too long.
[[nodiscard]] Result<Value> recording_report(const std::string& path);

}  // namespace elbowroom::cli
