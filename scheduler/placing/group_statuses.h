// What the status of pod groups is to say, by their uids, so that nothing is written twice and what
// failed is written again, after a pause. Of each type of condition only the latest is kept.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "control/deadline_queue.h"
#include "policy/model/condition.h"

namespace elbowroom::scheduler {

class GroupStatuses {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  // The members of a gang are bound, and run, one after the other; its condition is written once.
  static constexpr Time kTogether{50};

  // The group is to say that condition from now on. Returns whether it is to be sent now: it says
  // something else than the last one of its type, or than the one `shown` by the watch (nullptr:
  // none), or `begins_again`; and no write of its type has to wait.
  [[nodiscard]] bool wants(const std::string& uid, const policy::Condition& condition,
                           const policy::Condition* shown, bool begins_again, Time now);
  // A write failed: the latest of its type is owed, but is not sent before a pause ends. The pause
  // doubles with each failure in a row, and is not shorter than `wish`.
  void not_written(std::string_view uid, std::string_view type, Time wish, Time now);
  void written(std::string_view uid, std::string_view type);
  // Returns what is owed and may be sent now; it then counts as sent. What the group, whose
  // conditions are `shown`, says already is not sent.
  [[nodiscard]] std::vector<policy::Condition> take_owed(std::string_view uid,
                                                         const policy::Conditions& shown, Time now);
  // A condition of that status that is owed no longer holds: it is not sent.
  void withdraw(std::string_view uid, std::string_view type, std::string_view status);
  // When the first of what is owed may be sent; none: nothing is owed.
  [[nodiscard]] std::optional<Time> next_owed(std::string_view uid) const;
  // The latest one of that type; nullptr: there is none.
  [[nodiscard]] const policy::Condition* latest(std::string_view uid, std::string_view type) const;
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

  struct Wanted {
    policy::Condition latest{};
    bool is_owed = false;  // it is still to be sent
    Time paused_until{0};
    unsigned failures = 0;  // in a row
  };
  struct Status {
    std::map<std::string, Wanted, std::less<>> wanted{};  // by type
    std::string said{};
    bool is_mode_told = false;
    bool are_priorities_told = false;
  };
  std::map<std::string, Status, std::less<>> statuses_{};  // by uid
  control::DeadlineQueue due_{};                           // by key
};

}  // namespace elbowroom::scheduler
