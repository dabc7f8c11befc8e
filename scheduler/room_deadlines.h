// For how long room on its way is believed in, on our own clock from first sight. After a restart
// all waits begin anew, so a restart never makes anybody's time be over.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "policy/model/pod.h"
#include "policy/preemption/room_on_its_way.h"
#include "scheduler/deadline_queue.h"

namespace elbowroom::scheduler {

class RoomDeadlines {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  static constexpr Time kBeyondDeadline{30'000};    // a terminating pod, after its grace
  static constexpr Time kShrinkMayTake{60'000};     // allocated and not actuated
  static constexpr Time kJudgementMayTake{30'000};  // a shrink that nobody has judged

  void saw(const policy::Pod& pod, Time now);
  void gone(const std::string& key) { forget(key); }

  // Whose time is over.
  [[nodiscard]] policy::OverduePods lapsed(std::span<const policy::Pod> pods, Time now) const;
  // The uids of all whose time to leave is over; to be asked in the order of time.
  [[nodiscard]] const std::set<std::string, std::less<>>& overdue(Time now);
  // Until when a shrink of that pod is believed in; none: it does not shrink, or its time is over.
  [[nodiscard]] std::optional<Time> shrinks_by(const policy::Pod& pod, Time now) const;
  // When somebody's time is over next; none: nobody's.
  [[nodiscard]] std::optional<Time> next(std::span<const policy::Pod> pods, Time now) const;

 private:
  struct Clocks {
    std::string uid{};
    std::optional<policy::Time> deletion{};  // that `overdue` was made from
    std::optional<Time> overdue{};
    std::optional<Time> stuck_shrink{};
    policy::Resources shrinks_to{};  // that `stuck_shrink` was made for
    std::int64_t shrink_generation = 0;
    std::optional<Time> unjudged_shrink{};
  };

  void forget(const std::string& key);

  std::map<std::string, Clocks, std::less<>> clocks_{};  // by key; of those that have any
  DeadlineQueue overdue_at_{};                           // by key; of those still to come
  std::set<std::string, std::less<>> overdue_{};
};

}  // namespace elbowroom::scheduler
