// A separate daemon, elbowroomd or elbowroom-scheduler, as a demo or a test wants one: started,
// killed without a warning, started again. It ends only the process it started, and has it ended
// when it goes.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"

namespace elbowroom::lab {

class DaemonProcess {
 public:
  // `program` with these arguments; what it writes is appended to `log_file`. Unavailable: it
  // cannot be started.
  [[nodiscard]] static Result<DaemonProcess> start(const std::string& program,
                                                   const std::vector<std::string>& arguments,
                                                   const std::string& log_file);
  DaemonProcess(DaemonProcess&& other) noexcept : pid_(other.pid_) { other.pid_ = -1; }
  DaemonProcess& operator=(DaemonProcess&& other) noexcept;
  ~DaemonProcess() { kill(); }

  // SIGKILL, and waits until it is gone; may be repeated.
  void kill();

  // SIGTERM; its exit status, or Unavailable when it has not ended in time (it is killed then).
  [[nodiscard]] Result<int> stop(std::chrono::milliseconds patience);

  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  explicit DaemonProcess(pid_t pid) : pid_(pid) {}
  pid_t pid_ = -1;
};

// Looks again every few milliseconds until `holds()` is true; false when `patience` is over. For
// conditions of other processes, which nothing else announces.
template <class Holds>
[[nodiscard]] bool comes_true(Holds holds, std::chrono::milliseconds patience);

// The pause between two such looks.
void pause_between_looks();

template <class Holds>
bool comes_true(Holds holds, std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!holds()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    pause_between_looks();
  }
  return true;
}

}  // namespace elbowroom::lab
