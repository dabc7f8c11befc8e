#include "daemon/http/acceptor.h"

#include <sys/socket.h>

#include <cerrno>

namespace elbowroom::daemon {
namespace {

constexpr std::chrono::milliseconds kPauseWhenOutOfFiles{100};

}  // namespace

Fd Acceptor::accept_one(Clock::time_point now) {
  Fd socket(::accept4(listener_.socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket.is_open()) {
    const bool is_out_of_files =
        errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS;
    if (is_out_of_files) from_ = now + kPauseWhenOutOfFiles;
  }
  return socket;
}

int milliseconds_until(Acceptor::Clock::time_point deadline, Acceptor::Clock::time_point now,
                       std::chrono::milliseconds longest) {
  using Duration = Acceptor::Clock::duration;
  const auto left = std::clamp(deadline - now, Duration::zero(), Duration(longest));
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count());
}

}  // namespace elbowroom::daemon
