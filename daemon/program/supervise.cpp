#include "daemon/program/supervise.h"

#include <string>

#include "base/notify.h"
#include "daemon/program/stop_signals.h"

namespace elbowroom::daemon {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kUsualPatience{15'000};
constexpr milliseconds kUsualTurn{1000};

}  // namespace

milliseconds loop_patience() {
  const auto interval = watchdog_interval();
  return interval ? std::chrono::duration_cast<milliseconds>(*interval) / 2 : kUsualPatience;
}

void supervise(const Watchdog& watchdog, Log& log, const std::function<void()>& reload,
               const std::function<void(std::uint64_t lines)>& suppressed) {
  const auto interval = watchdog_interval();
  const milliseconds turn =
      interval ? std::chrono::duration_cast<milliseconds>(*interval) / 3 : kUsualTurn;
  std::string hung_before;
  for (;;) {
    const StopSignal signal = wait_for_stop_signal(turn);
    if (signal == StopSignal::Reload) reload();
    if (signal == StopSignal::Interrupt || signal == StopSignal::Terminate) {
      log.info("stopping", {{"reason", to_string(signal)}});
      return;
    }
    const std::string hung = to_string(watchdog.hung());
    if (hung.empty()) notify_alive();
    if (!hung.empty() && hung != hung_before) log.error("a loop hangs", {{"err", hung}});
    hung_before = hung;
    log.flush();
    suppressed(log.suppressed());
  }
}

}  // namespace elbowroom::daemon
