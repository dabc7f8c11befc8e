// What was written in the status of pod groups, by their uids, so that nothing is written twice and
// what failed is written again.
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
  // The write failed: the next one is sent whatever it says.
  void not_written(const std::string& uid, std::string_view type);
  // The last one of that type that was sent.
  [[nodiscard]] const policy::Condition* sent(std::string_view uid, std::string_view type) const;
  // An event about the group; once for each text.
  [[nodiscard]] bool says(const std::string& uid, const std::string& text);
  // An event about its policy and its disruption mode, once.
  [[nodiscard]] bool tells_of_mode(const std::string& uid);
  void forget(std::string_view uid);

  // The conditions of the group of that name are looked at by then.
  void look_by(const std::string& key, Time at);
  [[nodiscard]] std::vector<std::string> take_due(Time now) { return due_.take_due(now); }
  [[nodiscard]] std::optional<Time> next() const { return due_.next(); }

 private:
  struct Status {
    std::map<std::string, policy::Condition, std::less<>> sent{};  // by type
    std::string said{};
    bool is_mode_told = false;
  };
  std::map<std::string, Status, std::less<>> statuses_{};  // by uid
  DeadlineQueue due_{};                                    // by key
};

}  // namespace elbowroom::scheduler
