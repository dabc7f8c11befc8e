// The circuit breaker of removals: it limits how often room is made for one pod, and how many pods
// one node loses. It never refuses forever, but returns the time from which it allows a removal.
// Only removals by us count, whichever of our replicas made them. Names are kept short, as in its
// record.
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

#include "control/deadline_queue.h"
#include "policy/model/time.h"
#include "scheduler/breaker/circuit_breaker_record.h"

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
  // The maximum difference between two of our processes' estimates of the API server's clock
  // (scheduler/server_clock.h); loaded sets count for that much longer.
  static constexpr Time kClocksDiffer{4'000};

  // A node is its Node's uid, so that a new Node of the same name begins at zero.
  // Uids of victims by node.
  using VictimsByNode = std::map<std::string, std::vector<std::string>>;

  explicit CircuitBreaker(CircuitBreakerLimits limits) : limits_(limits) {}

  // When each of the two limits allows these removals on the node for that preemptor: `now`, or
  // later.
  struct Answer {
    Time for_pod{0};
    Time for_node{0};
    [[nodiscard]] Time at() const { return for_pod > for_node ? for_pod : for_node; }
  };
  // Nothing if there are more than a node may lose at once. A victim that is already noted counts
  // once for its node; noted for another preemptor, it makes a set of this one all the same.
  [[nodiscard]] std::optional<Answer> allowed_at(std::string_view preemptor_uid,
                                                 std::string_view node,
                                                 std::span<const std::string> victim_uids,
                                                 Time now) const;

  // These pods are removed for that preemptor, as one set, whatever their nodes. What was noted of
  // them for another one, which did not remove them, is this one's.
  void note(const std::string& preemptor_uid, const VictimsByNode& victims, Time now);

  // One of our replicas asked for the removal of that pod at that time, for that preemptor. It
  // counts once, however often it is reported.
  void saw(const std::string& preemptor_uid, const std::string& node, const std::string& victim_uid,
           Time at, Time now);

  // The Node of that name has that uid. What was seen of it before its uid was known counts for it.
  void know_node(std::string_view name, std::string_view uid);

  // Returns those of them that are not noted for that preemptor yet.
  [[nodiscard]] std::vector<std::string> unnoted(std::string_view preemptor_uid,
                                                 std::string_view node,
                                                 std::span<const std::string> victim_uids) const;

  // Loads what was counted earlier; known removals count once. If the record is incomplete, each
  // preemptor and each node may have only one more set until the window has passed since then.
  // `date`: the API server's time now; later times count as now.
  void load(const CircuitBreakerRecord& record, policy::Time date, Time now);

  // The pod is not removed, or not because of us.
  void take_back(const std::string& node, const std::string& victim_uid);

  // Forgets what is older than the window. Younger entries cost nothing.
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
  using Losses = std::deque<Loss>;  // oldest first
  using Sets = std::deque<Set>;     // the same

  // All by short names.
  [[nodiscard]] const Loss* loss_of(std::string_view node, std::string_view victim) const;
  void load_sets(const std::vector<CountedSet>& sets, policy::Time date, Time now);
  [[nodiscard]] Set* find(const std::string& preemptor, std::uint64_t number);
  void forget(const std::string& node, const std::string& victim);
  void lose(const std::string& node, Loss loss);
  Set& new_set(const std::string& preemptor, Time at);
  Set& set_of(const std::string& preemptor, Time at);
  void due_after_window(control::DeadlineQueue& due, const std::string& name, Time oldest);
  template <class All>
  void forget_oldest(All& all, control::DeadlineQueue& due, Time now);

  CircuitBreakerLimits limits_;
  std::uint64_t last_set_ = 0;
  std::optional<Time> unknown_before_{};             // more removals than are known are possible
  std::map<std::string, Sets, std::less<>> sets_{};  // by preemptor
  std::map<std::string, Losses, std::less<>> losses_{};  // by node
  // When the oldest of each expires; earlier if that one was taken back.
  control::DeadlineQueue sets_due_{};
  control::DeadlineQueue losses_due_{};
};

}  // namespace elbowroom::scheduler
