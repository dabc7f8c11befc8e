// How often this program has ended without meaning to. The one thing to know: it lives in the
// runtime directory that the service manager keeps over restarts and takes away at a stop
// (RUNTIME_DIRECTORY), so its times are of the clock since boot; without such a directory nothing
// is counted.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/disk.h"

namespace elbowroom::daemon {

class CrashRecord {
 public:
  // So many crashes within the window make a loop.
  static constexpr std::size_t kMost = 5;
  static constexpr std::chrono::minutes kWindow{10};

  // Notes that the program starts now; `folder` "": nowhere. `disk` must outlive it.
  CrashRecord(const std::string& folder, std::chrono::seconds since_boot, const Disk& disk);
  // An orderly end, after whatever crashes: they are forgotten.
  ~CrashRecord();
  CrashRecord(const CrashRecord&) = delete;
  CrashRecord& operator=(const CrashRecord&) = delete;

  [[nodiscard]] bool is_loop() const { return crashes_ >= kMost; }
  // Why it cannot be kept; "" where it can, or shall not.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

 private:
  void note(std::string_view stamps);

  const Disk& disk_;
  std::string path_{};  // "": none
  std::size_t crashes_ = 0;
  std::string trouble_{};
};

// The first folder of RUNTIME_DIRECTORY; "" where nobody set it.
[[nodiscard]] std::string runtime_directory();
[[nodiscard]] std::chrono::seconds since_boot();

}  // namespace elbowroom::daemon
