// Selects the readiness changes that are logged: a part was lost, the cause changed, the part is
// back. Each is logged once, however often it is seen. What a start waits for is not a loss.
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

  // Returns the changes since the last call: a lost check with its reason, a recovered one without.
  // What the first checks lack counts as awaited; it is reported when its reason changes. For a
  // reported loss, another class of cause (daemon/log/error_class.h) is reported too: the first one
  // at once, others at most once a minute.
  [[nodiscard]] std::vector<Check> take(const std::vector<Check>& checks, Clock::time_point now);

 private:
  struct Known {
    Check check{};
    bool told = false;   // the loss was reported
    std::string kind{};  // the class of the reported cause
    Clock::time_point not_again_before{};
  };
  static bool is_news(Known& known, const Check& before, Clock::time_point now);

  std::map<std::string, Known, std::less<>> known_{};
};

}  // namespace elbowroom::daemon
