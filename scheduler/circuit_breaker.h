// The circuit breaker of removals: how often room is made for one pod, and how many pods one node
// loses. It never says no for good, but from when on it says yes; and only what went because of us
// counts, whichever of our replicas asked for it. Names are kept short, as in its record.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/time.h"
#include "scheduler/circuit_breaker_record.h"
#include "scheduler/deadline_queue.h"

namespace elbowroom::scheduler {

struct CircuitBreakerLimits {
  std::size_t sets_per_pod = 3;
  std::size_t pods_per_node = 10;
  std::chrono::milliseconds window{600'000};

  friend bool operator==(const CircuitBreakerLimits&, const CircuitBreakerLimits&) = default;
};

class CircuitBreaker {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  // Deletes of one set are sent together, and arrive before the fence.
  static constexpr Time kOneSet{10'000};
  // Between what two of our processes take for the API server's clock (scheduler/server_clock.h);
  // what was loaded counts for that much longer.
  static constexpr Time kClocksDiffer{4'000};

  explicit CircuitBreaker(CircuitBreakerLimits limits) : limits_(limits) {}

  // When each of the two limits lets these pods of the node go for that preemptor: `now`, or later.
  struct Answer {
    Time for_pod{0};
    Time for_node{0};
    [[nodiscard]] Time at() const { return for_pod > for_node ? for_pod : for_node; }
  };
  // Nothing where they are more than a node may lose at once. Who was noted already counts once.
  [[nodiscard]] std::optional<Answer> allowed_at(std::string_view preemptor_uid,
                                                 std::string_view node,
                                                 std::span<const std::string> victim_uids,
                                                 Time now) const;

  // These pods of the node go for that preemptor.
  void note(const std::string& preemptor_uid, const std::string& node,
            const std::vector<std::string>& victim_uids, Time now);

  // Somebody of ours asked that pod to go at that time, for that preemptor. It counts once, however
  // often it is told.
  void saw(const std::string& preemptor_uid, const std::string& node, const std::string& victim_uid,
           Time at, Time now);

  // Those of them that were not noted yet.
  [[nodiscard]] std::vector<std::string> unnoted(std::string_view node,
                                                 std::span<const std::string> victim_uids) const;

  // What was counted before us. What is known already counts once. Where the record is not whole,
  // so many went before that one preemptor and one node may have just one more set, until the
  // window has passed since then. `date`: the API server's clock, now; what is later counts as now.
  void load(const CircuitBreakerRecord& record, policy::Time date, Time now);

  // It does not go, or not because of us.
  void take_back(const std::string& node, const std::string& victim_uid);

  // Forgets what is older than the window. What is not costs nothing.
  void advance(Time now);

 private:
  struct Loss {
    Time at{0};
    std::string victim{};
    std::string preemptor{};
    std::uint64_t set = 0;
  };
  struct Set {
    Time at{0};
    std::uint64_t number = 0;
    std::size_t victims = 0;
  };
  using Losses = std::deque<Loss>;  // the oldest first
  using Sets = std::deque<Set>;     // the same

  // All by short names.
  [[nodiscard]] const Loss* loss_of(std::string_view node, std::string_view victim) const;
  void load(const CountedSet& counted, Time at);
  void lose(const std::string& node, Loss loss);
  Set& new_set(const std::string& preemptor, Time at);
  Set& set_of(const std::string& preemptor, Time at);
  void due_after_window(DeadlineQueue& due, const std::string& name, Time oldest);
  template <class All>
  void forget_oldest(All& all, DeadlineQueue& due, Time now);

  CircuitBreakerLimits limits_;
  std::uint64_t last_set_ = 0;
  std::optional<Time> unknown_before_{};                 // more may have gone than is known
  std::map<std::string, Sets, std::less<>> sets_{};      // by preemptor
  std::map<std::string, Losses, std::less<>> losses_{};  // by node
  // When the oldest of each is over; earlier where that one was taken back.
  DeadlineQueue sets_due_{};
  DeadlineQueue losses_due_{};
};

}  // namespace elbowroom::scheduler
