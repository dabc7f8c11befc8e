// A file descriptor with one owner, closed with its owner. Close errors are dropped, so durable
// data is synced beforehand (base/durable_file.h).
#pragma once

#include <unistd.h>

#include <utility>

namespace elbowroom {

class Fd {
 public:
  Fd() = default;
  // Takes ownership of `fd`. A negative value means none, as from a failed open.
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

  // Gives up ownership. The caller must close the descriptor.
  [[nodiscard]] int release() { return std::exchange(fd_, -1); }

 private:
  // Never repeated after EINTR: Linux has closed the descriptor in that case, too.
  static void close_now(int fd) {
    if (fd >= 0) ::close(fd);
  }

  int fd_ = -1;
};

}  // namespace elbowroom
