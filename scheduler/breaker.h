// The circuit breaker of removals: how often room is made for one pod, and how many pods one node
// loses. The one thing to know: it never says no for good, but from when on it says yes.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace elbowroom::scheduler {

struct BreakerLimits {
  std::size_t sets_per_pod = 3;
  std::size_t pods_per_node = 10;
  std::chrono::milliseconds window{600'000};

  friend bool operator==(const BreakerLimits&, const BreakerLimits&) = default;
};

class Breaker {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  explicit Breaker(BreakerLimits limits) : limits_(limits) {}

  // When `victims` (>= 1) more pods of the node may go for that preemptor: `now`, or later. A set
  // that is larger than the limit may go once the node lost nobody for a whole window.
  [[nodiscard]] Time allowed_at(std::string_view preemptor_uid, std::string_view node,
                                std::size_t victims, Time now) const;

  // So many pods of the node go for that preemptor.
  void note(const std::string& preemptor_uid, const std::string& node, std::size_t victims,
            Time now);

  // Forgets what is older than the window.
  void advance(Time now);

 private:
  struct Loss {
    Time at{0};
    std::size_t pods = 0;
  };

  BreakerLimits limits_;
  std::map<std::string, std::deque<Time>, std::less<>> sets_{};    // by preemptor uid
  std::map<std::string, std::deque<Loss>, std::less<>> losses_{};  // by node
};

}  // namespace elbowroom::scheduler
