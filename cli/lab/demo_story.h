// How a demo tells its story: titles, what it does, what it sees, and what a program wrote where
// something is not seen.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "lab/daemon_process.h"

namespace elbowroom::cli {

class DemoStory {
 public:
  // `folder`: for its files and the logs of the daemons. `programs`: of elbowroomd and
  // elbowroom-scheduler.
  DemoStory(std::filesystem::path folder, std::filesystem::path programs)
      : folder_(std::move(folder)), programs_(std::move(programs)) {}

 protected:
  static constexpr std::chrono::milliseconds kPatience{20'000};

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] const std::filesystem::path& programs() const { return programs_; }

  static void title(const std::string& text);
  static void say(const std::string& text);
  // False, with what the daemons wrote, where the condition does not come true in time.
  template <class Holds>
  [[nodiscard]] bool waits(const std::string& what, Holds condition,
                           std::chrono::milliseconds patience = kPatience) const {
    if (!lab::comes_true(condition, patience)) {
      return fail("not seen within " + std::to_string(patience.count() / 1000) + " s: " + what);
    }
    say("  seen    " + what);
    return true;
  }
  [[nodiscard]] bool holds(const std::string& what, bool truth) const;
  // Always false.
  bool fail(const std::string& what) const;

 private:
  std::filesystem::path folder_;
  std::filesystem::path programs_;
};

}  // namespace elbowroom::cli
