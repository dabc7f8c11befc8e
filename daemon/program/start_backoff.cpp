#include "daemon/program/start_backoff.h"

#include <algorithm>
#include <csignal>
#include <string>

#include "base/notify.h"
#include "daemon/program/stop_signals.h"

namespace elbowroom::daemon {
namespace {

// The maximum time of a usual start, as the units allow.
constexpr std::chrono::seconds kUsualStart{60};

}  // namespace

bool back_off(std::chrono::seconds time, Log& log) {
  if (time <= std::chrono::seconds(0)) return true;
  const std::string what = "starts only in " + std::to_string(time.count()) +
                           " s, because it crashed at once when it was started before";
  log.warn(what);
  log.flush();
  notify_starting_within(time + kUsualStart);
  notify_status(what);
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + time;
  bool reload = false;
  StopSignal signal = StopSignal::Reload;
  while (signal == StopSignal::Reload) {
    signal = wait_for_stop_signal(
        std::chrono::ceil<std::chrono::milliseconds>(std::max(end - Clock::now(), {})));
    reload = reload || signal == StopSignal::Reload;
  }
  if (reload) (void)std::raise(SIGHUP);  // blocked: it stays pending
  if (signal == StopSignal::None) return true;
  log.info("stopping", {{"reason", to_string(signal)}});
  return false;
}

}  // namespace elbowroom::daemon
