#include "daemon/log/log_folding.h"

#include <algorithm>
#include <utility>

namespace elbowroom::daemon {

std::vector<LogFolding::Line> LogFolding::add(LogLevel level, std::string text, Time now) {
  std::vector<Line> written = due(now);
  const auto same = std::ranges::find_if(
      seen_, [&](const Seen& seen) { return seen.line.level == level && seen.line.text == text; });
  if (same != seen_.end()) {
    ++same->line.repeats;
    ++suppressed_;
    return written;
  }
  if (seen_.size() == kMostRemembered) {
    if (seen_.front().line.repeats > 0) written.push_back(std::move(seen_.front().line));
    seen_.pop_front();
  }
  seen_.push_back({{level, text, 0}, now + kWindow});
  written.push_back({level, std::move(text), 0});
  return written;
}

std::vector<LogFolding::Line> LogFolding::due(Time now) {
  std::vector<Line> lines;
  while (!seen_.empty() && seen_.front().until <= now) {
    if (seen_.front().line.repeats > 0) lines.push_back(std::move(seen_.front().line));
    seen_.pop_front();
  }
  return lines;
}

}  // namespace elbowroom::daemon
