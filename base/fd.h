// A file descriptor with one owner, closed with it. Close errors are dropped, so what must be
// durable is synced before (base/durable_file.h).
#pragma once

#include <unistd.h>

#include <utility>

namespace elbowroom {

class Fd {
 public:
  Fd() = default;
  // Takes over `fd`; a negative one stands for none, as from a failed open.
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) close_now(std::exchange(fd_, std::exchange(other.fd_, -1)));
    return *this;
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { close_now(fd_); }

  // Still owned by this object; -1: none.
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool is_open() const { return fd_ >= 0; }

  // The descriptor, which the caller closes from now on.
  [[nodiscard]] int release() { return std::exchange(fd_, -1); }

 private:
  // Never repeated after EINTR: Linux has closed the descriptor then too.
  static void close_now(int fd) {
    if (fd >= 0) ::close(fd);
  }

  int fd_ = -1;
};

}  // namespace elbowroom
