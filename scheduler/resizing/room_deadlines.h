// How long the scheduler relies on room on its way, on our own clock from first sight. After a
// restart all waits begin again, so a restart never makes a pod overdue.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "control/deadline_queue.h"
#include "policy/model/pod.h"
#include "policy/preemption/room_on_its_way.h"

namespace elbowroom::scheduler {

class RoomDeadlines {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  static constexpr Time kBeyondDeadline{30'000};    // a terminating pod, after its grace period
  static constexpr Time kShrinkMayTake{60'000};     // allocated and not actuated
  static constexpr Time kJudgementMayTake{30'000};  // a shrink without a decision

  void saw(const policy::Pod& pod, Time now);
  void gone(const std::string& key) { forget(key); }

  // Returns the pods whose time is over.
  [[nodiscard]] policy::OverduePods lapsed(std::span<const policy::Pod> pods, Time now) const;
  // Returns the uids of all overdue terminating pods. `now` must not decrease between calls.
  [[nodiscard]] const std::set<std::string, std::less<>>& overdue(Time now);
  // Returns until when a shrink of that pod is expected; none: it does not shrink, or its time is
  // over.
  [[nodiscard]] std::optional<Time> shrinks_by(const policy::Pod& pod, Time now) const;
  // Returns when the next pod's time is over; none: there is none.
  [[nodiscard]] std::optional<Time> next(std::span<const policy::Pod> pods, Time now) const;

 private:
  struct Clocks {
    std::string uid{};
    std::optional<policy::Time> deletion{};  // from which `overdue` was computed
    std::optional<Time> overdue{};
    std::optional<Time> stuck_shrink{};
    policy::Resources shrinks_to{};  // for which `stuck_shrink` was computed
    std::int64_t shrink_generation = 0;
    std::optional<Time> unjudged_shrink{};
  };

  void forget(const std::string& key);

  std::map<std::string, Clocks, std::less<>> clocks_{};  // by key; only pods with a deadline
  control::DeadlineQueue overdue_at_{};                  // by key; future ones only
  std::set<std::string, std::less<>> overdue_{};
};

}  // namespace elbowroom::scheduler
