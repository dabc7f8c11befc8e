// What the log tells of readiness: that a part was lost, that the cause has become another one, and
// that it is back. Each is told once, however often it is seen, and what a start waits for is no
// loss.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "daemon/http/endpoints.h"

namespace elbowroom::daemon {

class ReadinessLog {
 public:
  using Clock = std::chrono::steady_clock;

  // What changed since the last time: of a check that is lost with its reason, of one that is back
  // without. What the first checks lack is being waited for; it is told where its reason changes.
  // Of a loss that was told, another kind of cause (daemon/log/error_class.h) is told too: the
  // first one at once, others at most once a minute.
  [[nodiscard]] std::vector<Check> take(const std::vector<Check>& checks, Clock::time_point now);

 private:
  struct Known {
    Check check{};
    bool told = false;   // that it is lost
    std::string kind{};  // of the cause that was told
    Clock::time_point not_again_before{};
  };
  static bool is_news(Known& known, const Check& before, Clock::time_point now);

  std::map<std::string, Known, std::less<>> known_{};
};

}  // namespace elbowroom::daemon
