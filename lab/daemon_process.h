// A separate elbowroomd or elbowroom-scheduler process for a demo or a test: started, killed
// without warning, started again. It ends only the process that it started, and its destructor ends
// that process.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"

namespace elbowroom::lab {

class DaemonProcess {
 public:
  // Starts `program` with these arguments and appends its output to `log_file`. Unavailable: it
  // cannot be started.
  [[nodiscard]] static Result<DaemonProcess> start(const std::string& program,
                                                   const std::vector<std::string>& arguments,
                                                   const std::string& log_file);
  DaemonProcess(DaemonProcess&& other) noexcept : pid_(other.pid_) { other.pid_ = -1; }
  DaemonProcess& operator=(DaemonProcess&& other) noexcept;
  ~DaemonProcess() { kill(); }

  // Sends SIGKILL and waits until the process has ended. Safe to call again.
  void kill();

  // Sends SIGTERM and returns the exit status. Unavailable: the process has not ended in time and
  // is killed.
  [[nodiscard]] Result<int> stop(std::chrono::milliseconds patience);

  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  explicit DaemonProcess(pid_t pid) : pid_(pid) {}
  pid_t pid_ = -1;
};

// Polls every few milliseconds until `holds()` is true; false after `patience`. For conditions of
// other processes, which send no notification.
template <class Holds>
[[nodiscard]] bool comes_true(Holds holds, std::chrono::milliseconds patience);

// The pause between two polls.
void pause_between_polls();

template <class Holds>
bool comes_true(Holds holds, std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!holds()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    pause_between_polls();
  }
  return true;
}

}  // namespace elbowroom::lab
