// What was written in the status of pod groups, by their uids, so that nothing is written twice and
// what failed is written again, after a pause.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/condition.h"
#include "scheduler/waiting/deadline_queue.h"

namespace elbowroom::scheduler {

class GroupStatuses {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  // Whether the condition says something else than the last one of its type, sent or `shown` by the
  // watch (nullptr: none). It then counts as sent.
  [[nodiscard]] bool sends(const std::string& uid, const policy::Condition& condition,
                           const policy::Condition* shown);
  // The write failed: the next one is sent whatever it says, but not before the time that is
  // returned. The pause doubles with each failure in a row, and is not shorter than `wish`.
  Time not_written(const std::string& uid, std::string_view type, Time wish, Time now);
  void written(std::string_view uid, std::string_view type);
  // Nothing of that type is sent before that time; none: it may be sent.
  [[nodiscard]] std::optional<Time> paused_until(std::string_view uid, std::string_view type,
                                                 Time now) const;
  // The last one of that type that was sent.
  [[nodiscard]] const policy::Condition* sent(std::string_view uid, std::string_view type) const;
  // An event about the group; once for each text.
  [[nodiscard]] bool says(const std::string& uid, const std::string& text);
  // An event about its policy and its disruption mode, once; and about its pods' priorities.
  [[nodiscard]] bool tells_of_mode(const std::string& uid);
  [[nodiscard]] bool tells_of_priorities(const std::string& uid);
  void forget(std::string_view uid);

  // The conditions of the group of that name are looked at then, whatever was planned.
  void look_at(const std::string& key, Time at) { due_.set(key, at); }
  // The same, unless they are looked at sooner.
  void look_by(const std::string& key, Time at) { due_.bring_forward(key, at); }
  [[nodiscard]] std::vector<std::string> take_due(Time now) { return due_.take_due(now); }
  [[nodiscard]] std::optional<Time> next() const { return due_.next(); }

 private:
  static constexpr Time kFirstPause{10'000};
  static constexpr Time kLongestPause{300'000};

  struct Pause {
    Time until{0};
    unsigned failures = 0;  // in a row
  };
  struct Status {
    std::map<std::string, policy::Condition, std::less<>> sent{};  // by type
    std::map<std::string, Pause, std::less<>> pauses{};            // by type
    std::string said{};
    bool is_mode_told = false;
    bool are_priorities_told = false;
  };
  std::map<std::string, Status, std::less<>> statuses_{};  // by uid
  DeadlineQueue due_{};                                    // by key
};

}  // namespace elbowroom::scheduler
