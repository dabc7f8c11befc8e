// Takes the connections of a listener, for a thread that polls it beside others. Where the process
// is out of files it pauses for a moment: the connection stays ready, so an immediate poll would
// spin.
#pragma once

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/fd.h"
#include "daemon/http/listener.h"

namespace elbowroom::daemon {

class Acceptor {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Acceptor(Listener listener) : listener_(std::move(listener)) {}

  [[nodiscard]] const Listener& listener() const { return listener_; }
  // The socket to poll for input; -1 while it pauses.
  [[nodiscard]] int polled(Clock::time_point now) const {
    return from_ <= now ? listener_.socket.get() : -1;
  }
  // The deadline, or before that the end of the pause.
  [[nodiscard]] Clock::time_point bounded(Clock::time_point deadline, Clock::time_point now) const {
    return from_ <= now ? deadline : std::min(deadline, from_);
  }
  // Hands on those that wait, a few dozen at most, each as a socket that does not block. Those that
  // come while there is no room stay in the backlog.
  template <class Use, class HasRoom>
  void accept(Clock::time_point now, Use use, HasRoom has_room) {
    for (int i = 0; i < kMostAtOnce && has_room(); ++i) {
      Fd socket = accept_one(now);
      if (!socket.is_open()) return;
      use(std::move(socket));
    }
  }
  template <class Use>
  void accept(Clock::time_point now, Use use) {
    accept(now, std::move(use), [] { return true; });
  }

 private:
  static constexpr int kMostAtOnce = 64;

  // Not open: none waits, or it pauses.
  [[nodiscard]] Fd accept_one(Clock::time_point now);

  Listener listener_;
  Clock::time_point from_{};
};

// For poll(): the time until the deadline, `longest` at most. Rounded up, as rounding down would
// spin for the last millisecond.
[[nodiscard]] int milliseconds_until(Acceptor::Clock::time_point deadline,
                                     Acceptor::Clock::time_point now,
                                     std::chrono::milliseconds longest);

}  // namespace elbowroom::daemon
