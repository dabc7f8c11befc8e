// Tracks which loops of a daemon still turn. Systemd's watchdog is fed only while hung() is empty,
// so one hung loop restarts the daemon; nothing outside the daemon can.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace elbowroom::daemon {

// One loop's sign of progress. The loop marks it once per turn, right before a wait that is shorter
// than the watchdog's patience. One thread marks, any thread reads.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  Progress(std::string loop, Clock::time_point begun) : loop_(std::move(loop)), last_(begun) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void mark(Clock::time_point now = Clock::now()) { last_.store(now, std::memory_order_relaxed); }

  // Returns the loop's name as used in logs.
  [[nodiscard]] const std::string& loop() const { return loop_; }
  [[nodiscard]] Clock::time_point last() const { return last_.load(std::memory_order_relaxed); }

 private:
  const std::string loop_;
  std::atomic<Clock::time_point> last_;
};

struct HungLoop {
  std::string loop{};
  std::chrono::milliseconds silent_for{0};

  friend bool operator==(const HungLoop&, const HungLoop&) = default;
};

// Returns "loop reactor has not turned for 12000 ms, loop ..."; "" for none.
[[nodiscard]] std::string to_string(const std::vector<HungLoop>& hung);

class Watchdog {
 public:
  using Clock = Progress::Clock;

  // A loop that has not been marked for longer than `patience` hangs. For systemd, `patience` is at
  // most half of the watchdog interval, so that exactly the loops that turned between two feeds
  // count.
  explicit Watchdog(std::chrono::milliseconds patience) : patience_(patience) {}

  // Adds a loop, marked as of now. The reference lives as long as this object. All loops are added
  // before the first thread starts.
  [[nodiscard]] Progress& add(std::string loop, Clock::time_point now = Clock::now());

  // Returns every hung loop, in the order of addition. Any thread may call it.
  [[nodiscard]] std::vector<HungLoop> hung(Clock::time_point now = Clock::now()) const;

  [[nodiscard]] std::chrono::milliseconds patience() const { return patience_; }

 private:
  const std::chrono::milliseconds patience_;
  std::deque<Progress> loops_;  // a deque never moves its elements
};

}  // namespace elbowroom::daemon
