// The API server's clock, for what counts in wall time: the rates of budgets, and the time since a
// pod's removal was requested. Between readings of the server's clock it advances by our own
// monotonic clock, so a jump of our wall clock does not move it; before the first reading it starts
// from our wall clock as it was at the start.
#pragma once

#include <chrono>
#include <optional>

#include "policy/model/time.h"

namespace elbowroom::control {

class ServerClock {
 public:
  using Time = std::chrono::milliseconds;  // on our own clock

  // Ours, where nothing is known yet.
  void begin(policy::Time wall, Time now) {
    if (!off_) off_ = wall - now;
  }
  // The server said so, just now.
  void saw(policy::Time date, Time now) { off_ = date - now; }

  // Requires that it has begun.
  [[nodiscard]] policy::Time at(Time time) const { return *off_ + time; }

 private:
  std::optional<policy::Time> off_{};  // at our zero
};

// Which of a server's Date headers are worth reporting: they have whole seconds, so only one that
// differs by more than that is.
class DateNews {
 public:
  using Time = std::chrono::milliseconds;

  [[nodiscard]] bool is_news(policy::Time date, Time now) {
    const policy::Time off = date - now;
    if (off_ && std::chrono::abs(off - *off_) < kOther) return false;
    off_ = off;
    return true;
  }

 private:
  static constexpr std::chrono::seconds kOther{3};
  std::optional<policy::Time> off_{};
};

}  // namespace elbowroom::control
