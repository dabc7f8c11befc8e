#include "cli/interruption.h"

#include <pthread.h>

#include <csignal>
#include <cstdlib>
#include <utility>

namespace elbowroom::cli {
namespace {

using daemon::StopSignal;

constexpr std::chrono::hours kLong{1};

}  // namespace

Interruption::Interruption(std::function<void()> clean_up)
    : clean_up_(std::move(clean_up)), watcher_([this] { watch(); }) {}

Interruption::~Interruption() {
  is_over_ = true;
  pthread_kill(watcher_.native_handle(), SIGTERM);  // blocked there, so it only ends the wait
}

StopSignal Interruption::wait(std::chrono::milliseconds bound) {
  [[maybe_unused]] const bool is_told = came_.try_acquire_for(bound);
  return told_;
}

void Interruption::watch() {
  for (;;) {
    const StopSignal signal = daemon::wait_for_stop_signal(kLong);
    if (is_over_) return;
    if (signal == StopSignal::None) continue;
    if (serves_ && told_ == StopSignal::None) {
      told_ = signal;
      came_.release();
      continue;
    }
    clean_up_();
    end_by(signal);
  }
}

void end_by(StopSignal signal) {
  const int number = signal == StopSignal::Interrupt ? SIGINT : SIGTERM;
  std::signal(number, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, number);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  std::raise(number);
  std::_Exit(128 + number);  // if even that signal is ignored
}

}  // namespace elbowroom::cli
