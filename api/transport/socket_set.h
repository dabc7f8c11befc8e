// The sockets that libcurl waits for. After a wait only those requests are looked at whose socket
// has something, or whose time has come; so a round costs what happens in it, not how many requests
// are open.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "base/fd.h"

namespace elbowroom::api {

class SocketSet {
 public:
  using Clock = std::chrono::steady_clock;

  // Of a CURLM, which must outlive it.
  explicit SocketSet(void* multi);
  ~SocketSet();
  SocketSet(const SocketSet&) = delete;
  SocketSet& operator=(const SocketSet&) = delete;

  // Ends the wait that goes on, or the next one. May be called by any thread.
  void wake();

  // Until a socket has something, libcurl's own time has come, one of `others` (-1: none) can be
  // read, or somebody wakes it.
  void wait(Clock::duration at_most, std::span<const int> others);

  // Lets the time pass; what happens meanwhile is found by the next wait.
  static void pause(Clock::duration time);

  // Lets libcurl do what there is to do since the wait.
  void act();

  // Lets libcurl do what its own time has come for: requests that were just added begin.
  void act_on_time();

 private:
  static int on_socket(void* easy, int socket, int what, void* self, void* known);
  static int on_timer(void* multi, long timeout_ms, void* self);
  void follow(int socket, int what, bool is_known);

  void* multi_;
  Fd poller_;
  Fd woken_;
  std::optional<Clock::time_point> due_{};  // libcurl's own
  struct Ready {
    int socket = -1;
    int what = 0;  // CURL_CSELECT_*
  };
  std::array<Ready, 64> ready_{};
  std::size_t ready_count_ = 0;
};

}  // namespace elbowroom::api
