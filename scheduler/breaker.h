// The circuit breaker of removals: how often room is made for one pod, and how many pods one node
// loses. The one thing to know: it never says no for good, but from when on it says yes.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

  // When these pods of the node may go for that preemptor: `now`, or later; nothing where they are
  // more than the limit at once. Who was noted already counts once.
  [[nodiscard]] std::optional<Time> allowed_at(std::string_view preemptor_uid,
                                               std::string_view node,
                                               std::span<const std::string> victim_uids,
                                               Time now) const;

  // These pods of the node go for that preemptor.
  void note(const std::string& preemptor_uid, const std::string& node,
            const std::vector<std::string>& victim_uids, Time now);

  // Forgets what is older than the window.
  void advance(Time now);

 private:
  [[nodiscard]] std::size_t not_noted(std::string_view node,
                                      std::span<const std::string> victim_uids) const;

  struct Loss {
    Time at{0};
    std::string uid{};
  };

  BreakerLimits limits_;
  std::map<std::string, std::deque<Time>, std::less<>> sets_{};    // by preemptor uid
  std::map<std::string, std::deque<Loss>, std::less<>> losses_{};  // by node
};

}  // namespace elbowroom::scheduler
