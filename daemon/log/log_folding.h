// Decides which lines of a log are written and which are counted. A line that was written within
// the last minute is only counted; its count is written when that minute is over.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "daemon/log/log_line.h"

namespace elbowroom::daemon {

// Remembers the last 16 different lines. Not thread-safe.
class LogFolding {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds kWindow{60};
  static constexpr std::size_t kMostRemembered = 16;

  struct Line {
    LogLevel level = LogLevel::Info;
    std::string text{};
    std::size_t repeats = 0;  // 0: the line itself; otherwise the number of repetitions

    friend bool operator==(const Line&, const Line&) = default;
  };

  // Returns what to write when this line arrives: counts that are due, then the line unless it is
  // folded.
  [[nodiscard]] std::vector<Line> add(LogLevel level, std::string text, Time now);

  // Returns the counts that are due at that time; Time::max(): all of them.
  [[nodiscard]] std::vector<Line> due(Time now);

  // Returns how many lines were folded so far.
  [[nodiscard]] std::uint64_t suppressed() const { return suppressed_; }

 private:
  struct Seen {
    Line line{};
    Time until{};
  };

  std::uint64_t suppressed_ = 0;
  std::deque<Seen> seen_;  // by `until`
};

}  // namespace elbowroom::daemon
