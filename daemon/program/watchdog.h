// Which loops of a daemon still turn. Systemd's watchdog may be fed only while hung() is empty, so
// one loop that hangs restarts the daemon, and nothing outside it can.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace elbowroom::daemon {

// One loop's proof of life. The loop marks it once a turn, right before a wait that is bounded by
// less than the watchdog's patience. One thread marks, any thread reads.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  Progress(std::string loop, Clock::time_point begun) : loop_(std::move(loop)), last_(begun) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void mark(Clock::time_point now = Clock::now()) { last_.store(now, std::memory_order_relaxed); }

  // The loop's name, as the logs say it.
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

// "loop reactor has not turned for 12000 ms, loop ..."; "" for none.
[[nodiscard]] std::string to_string(const std::vector<HungLoop>& hung);

class Watchdog {
 public:
  using Clock = Progress::Clock;

  // A loop that was not marked for longer than `patience` hangs. For systemd: at most half of its
  // interval, so that a loop which turned between two feeds, and only such a loop, counts.
  explicit Watchdog(std::chrono::milliseconds patience) : patience_(patience) {}

  // The mark of one more loop, which has turned now. It lives as long as this object. All loops are
  // added before the first thread starts.
  [[nodiscard]] Progress& add(std::string loop, Clock::time_point now = Clock::now());

  // Every loop that hangs, in the order they were added. Any thread may ask.
  [[nodiscard]] std::vector<HungLoop> hung(Clock::time_point now = Clock::now()) const;

  [[nodiscard]] std::chrono::milliseconds patience() const { return patience_; }

 private:
  const std::chrono::milliseconds patience_;
  std::deque<Progress> loops_;  // a deque leaves what is in it where it is
};

}  // namespace elbowroom::daemon
