#include "daemon/program/stop_signals.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <string>

namespace elbowroom::daemon {
namespace {

sigset_t stop_set() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

sigset_t reload_set() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGHUP);
  return set;
}

timespec timespec_of(std::chrono::milliseconds time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  const std::chrono::nanoseconds rest = time - seconds;
  return {.tv_sec = seconds.count(), .tv_nsec = rest.count()};
}

}  // namespace

std::string_view to_string(StopSignal signal) {
  switch (signal) {
    case StopSignal::None:
      return "";
    case StopSignal::Interrupt:
      return "SIGINT";
    case StopSignal::Terminate:
      return "SIGTERM";
    case StopSignal::Reload:
      return "SIGHUP";
  }
  return "";
}

Result<void> block_stop_signals() {
  // A peer that closes its connection is an error of that write; it must not end the daemon.
  if (std::signal(SIGPIPE, SIG_IGN) == SIG_ERR || std::signal(SIGHUP, SIG_IGN) == SIG_ERR) {
    return failure(Code::Internal, "ignore SIGPIPE and SIGHUP: " + std::string(strerror(errno)));
  }
  const sigset_t set = stop_set();
  if (const int error = pthread_sigmask(SIG_BLOCK, &set, nullptr); error != 0) {
    return failure(Code::Internal, "block SIGINT and SIGTERM: " + std::string(strerror(error)));
  }
  return {};
}

Result<void> take_reload_signals() {
  const sigset_t set = reload_set();
  if (const int error = pthread_sigmask(SIG_BLOCK, &set, nullptr); error != 0) {
    return failure(Code::Internal, "block SIGHUP: " + std::string(strerror(error)));
  }
  // An ignored signal is never waited for.
  if (std::signal(SIGHUP, SIG_DFL) == SIG_ERR) {
    return failure(Code::Internal, "take SIGHUP: " + std::string(strerror(errno)));
  }
  return {};
}

StopSignal wait_for_stop_signal(std::chrono::milliseconds bound) {
  using Clock = std::chrono::steady_clock;
  sigset_t set = stop_set();
  sigaddset(&set, SIGHUP);  // never arrives while it is ignored
  const Clock::time_point deadline = Clock::now() + bound;
  while (true) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(std::max(deadline - Clock::now(), {}));
    const timespec time = timespec_of(left);
    const int signal = sigtimedwait(&set, nullptr, &time);
    if (signal == SIGINT) return StopSignal::Interrupt;
    if (signal == SIGTERM) return StopSignal::Terminate;
    if (signal == SIGHUP) return StopSignal::Reload;
    if (errno != EINTR) return StopSignal::None;  // EAGAIN: the time is up
  }
}

}  // namespace elbowroom::daemon
