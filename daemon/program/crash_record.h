// Counts how often this program has crashed. The file is in the runtime directory, which the
// service manager keeps across restarts and removes at a stop (RUNTIME_DIRECTORY), so its times are
// of the clock since boot. Without such a directory nothing is counted.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "base/disk.h"

namespace elbowroom::daemon {

//   file "crashes":  a line "crash SECONDS" for each recent crash, in order
//                    "loop" after a crash loop, however long ago, until an orderly stop
//                    "running" while the program runs; if a start finds it, the previous run
//                    crashed
class CrashRecord {
 public:
  // This many crashes within the window form a crash loop.
  static constexpr std::size_t kMost = 5;
  static constexpr std::chrono::minutes kWindow{10};
  // After more than kMost crashes a start waits: 2 s, doubled for each crash, at most this.
  static constexpr std::chrono::seconds kLongestWait{64};

  // Records that the program starts now; `folder` "": records nothing. `disk` must outlive it.
  CrashRecord(const std::string& folder, std::chrono::seconds since_boot, const Disk& disk);
  // The program ends by itself: this is no crash, and the record is kept.
  ~CrashRecord();
  CrashRecord(const CrashRecord&) = delete;
  CrashRecord& operator=(const CrashRecord&) = delete;

  // The program stopped on request: clears the record.
  void stopped();

  [[nodiscard]] bool is_loop() const { return is_loop_; }
  // True if this start is the first one in the crash loop.
  [[nodiscard]] bool is_new_loop() const { return is_loop_ && !was_loop_; }
  // Returns how long this start waits before it does anything; zero outside a crash loop.
  [[nodiscard]] std::chrono::seconds wait() const { return wait_; }
  // Returns why the record cannot be kept; "" if it can, or is not wanted.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

 private:
  [[nodiscard]] bool read();
  void write(bool is_running);

  const Disk& disk_;
  std::string path_{};  // "": none
  std::deque<std::int64_t> crashes_{};
  bool was_loop_ = false;
  bool is_loop_ = false;
  std::chrono::seconds wait_{0};
  std::string trouble_{};
};

// Returns the first folder of RUNTIME_DIRECTORY; "" if it is not set.
[[nodiscard]] std::string runtime_directory();
[[nodiscard]] std::chrono::seconds since_boot();

}  // namespace elbowroom::daemon
