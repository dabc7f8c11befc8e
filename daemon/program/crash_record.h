// How often this program has ended without meaning to. It lives in the runtime directory that the
// service manager keeps over restarts and takes away at a stop (RUNTIME_DIRECTORY), so its times
// are of the clock since boot; without such a directory nothing is counted.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "base/disk.h"

namespace elbowroom::daemon {

//   file "crashes":  a line "crash SECONDS" for each of the latest, in their order
//                    "loop" once there was one: it counts however long ago, until an orderly stop
//                    "running" while the program runs; where a start finds it, nobody ended that
//                    one
class CrashRecord {
 public:
  // So many crashes within the window make a loop.
  static constexpr std::size_t kMost = 5;
  static constexpr std::chrono::minutes kWindow{10};
  // A start after more than kMost of them waits: 2 s, twice as long for each, at most this.
  static constexpr std::chrono::seconds kLongestWait{64};

  // Notes that the program starts now; `folder` "": nowhere. `disk` must outlive it.
  CrashRecord(const std::string& folder, std::chrono::seconds since_boot, const Disk& disk);
  // It ends, and was not asked to: no crash, and nothing is forgotten.
  ~CrashRecord();
  CrashRecord(const CrashRecord&) = delete;
  CrashRecord& operator=(const CrashRecord&) = delete;

  // It was asked to stop, and did: all is forgotten.
  void stopped();

  [[nodiscard]] bool is_loop() const { return is_loop_; }
  // This start is the first that finds itself in it.
  [[nodiscard]] bool is_new_loop() const { return is_loop_ && !was_loop_; }
  // How long this start shall do nothing: it would crash once more. None but in a loop.
  [[nodiscard]] std::chrono::seconds wait() const { return wait_; }
  // Why it cannot be kept; "" where it can, or shall not.
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

// The first folder of RUNTIME_DIRECTORY; "" where nobody set it.
[[nodiscard]] std::string runtime_directory();
[[nodiscard]] std::chrono::seconds since_boot();

}  // namespace elbowroom::daemon
