// The sockets that libcurl waits for, and those of our own connections. After a wait, only requests
// with socket activity or an expired timer are visited, so a round costs what happens in it, not
// how many requests are open.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/fd.h"

namespace elbowroom::api {

class SocketSet {
 public:
  using Clock = std::chrono::steady_clock;

  // `multi` is a CURLM, which must outlive this object.
  explicit SocketSet(void* multi);
  ~SocketSet();
  SocketSet(const SocketSet&) = delete;
  SocketSet& operator=(const SocketSet&) = delete;

  // Ends the current wait, or the next one. Thread-safe.
  void wake();

  // Waits until a socket is active, libcurl's timer expires, one of `others` (-1: none) is
  // readable, or wake() is called.
  void wait(Clock::duration at_most, std::span<const int> others);

  // Pauses. The next wait finds what happens meanwhile.
  static void pause(Clock::duration time);

  // Lets libcurl act on what the wait found.
  void act();

  // Waits for a socket of our own, too, also until it takes more; and no longer, before it is
  // closed.
  void follow_own(int socket, bool wants_write);
  void drop_own(int socket);
  // Whether the last wait found it active.
  [[nodiscard]] bool is_own_ready(int socket) const;

  // Lets libcurl act on its timer: requests that were just added start.
  void act_on_time();

 private:
  static int on_socket(void* easy, int socket, int what, void* self, void* known);
  static int on_timer(void* multi, long timeout_ms, void* self);
  void follow(int socket, int what, bool is_known);

  void* multi_;
  Fd poller_;
  Fd woken_;
  std::optional<Clock::time_point> due_{};  // libcurl's timer
  struct Ready {
    int socket = -1;
    int what = 0;  // CURL_CSELECT_*
  };
  std::array<Ready, 64> ready_{};
  std::size_t ready_count_ = 0;
  struct Own {
    int socket = -1;
    bool wants_write = false;
    bool is_ready = false;
  };
  std::vector<Own> own_{};  // a few
};

}  // namespace elbowroom::api
