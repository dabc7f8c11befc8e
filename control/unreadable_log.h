// Log lines for unreadable objects. Each object is logged once for each reason, and of hundreds at
// once only the first ones are named.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "control/observation.h"
#include "daemon/log/log_entry.h"

namespace elbowroom::control {

class UnreadableLog {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::size_t kNamed = 20;  // per minute
  static constexpr std::size_t kKnown = 1000;
  static constexpr std::chrono::minutes kAtOnce{1};
  static constexpr std::chrono::hours kForgotten{1};  // then it is logged again

  [[nodiscard]] std::vector<daemon::LogEntry> take(const Unreadable& odd, Clock::time_point now);

  // Call it periodically. Returns how many more there were in the past minute.
  [[nodiscard]] std::vector<daemon::LogEntry> advance(Clock::time_point now);

 private:
  struct Told {
    std::size_t why = 0;  // its hash
    Clock::time_point at{};
  };

  std::map<std::pair<std::string, std::string>, Told> told_{};  // by kind and key
  Clock::time_point since_{};                                   // of the minute
  std::size_t named_ = 0;                                       // in it
  std::size_t unnamed_ = 0;
};

}  // namespace elbowroom::control
