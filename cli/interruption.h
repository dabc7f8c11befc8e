// SIGINT and SIGTERM of a verb that starts something and then serves until it is stopped. During
// the start, a signal ends the process at once and by that signal, whatever a call waits for at
// that moment. While it serves, the first signal is reported to the verb, and a second one ends the
// process at once.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <semaphore>
#include <thread>

#include "daemon/program/stop_signals.h"

namespace elbowroom::cli {

class Interruption {
 public:
  // Requires daemon::block_stop_signals() and no other thread that waits for these signals.
  // `clean_up` runs on its own thread before the process ends at once; what it uses must outlive
  // this object.
  explicit Interruption(std::function<void()> clean_up);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  // Ends the start: from now on wait() reports a first signal.
  void serve() { serves_ = true; }

  // The signal that arrived while it serves; None: none arrived within `bound`. Only one thread may
  // call it.
  [[nodiscard]] daemon::StopSignal wait(std::chrono::milliseconds bound);

 private:
  void watch();

  std::function<void()> clean_up_;
  std::atomic<bool> serves_ = false;
  std::atomic<bool> is_over_ = false;
  std::atomic<daemon::StopSignal> told_ = daemon::StopSignal::None;
  std::binary_semaphore came_{0};
  std::jthread watcher_;
};

// Ends the process by that signal, as if the signal had never been blocked.
[[noreturn]] void end_by(daemon::StopSignal signal);

}  // namespace elbowroom::cli
