// Times at which something of many is to be looked at, the next one first. The one thing to know:
// each name has one time; what is not due costs nothing.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace elbowroom::scheduler {

class DueTimes {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  // In place of an earlier time.
  void set(const std::string& name, Time at) {
    forget(name);
    order_.emplace(at, name);
    times_.emplace(name, at);
  }
  void forget(const std::string& name) {
    const auto known = times_.find(name);
    if (known == times_.end()) return;
    order_.erase({known->second, name});
    times_.erase(known);
  }

  [[nodiscard]] std::optional<Time> next() const {
    return order_.empty() ? std::nullopt : std::optional(order_.begin()->first);
  }

  // Those whose time has come; they are forgotten.
  [[nodiscard]] std::vector<std::string> take_due(Time now) {
    std::vector<std::string> due;
    while (!order_.empty() && order_.begin()->first <= now) {
      due.push_back(order_.begin()->second);
      forget(due.back());
    }
    return due;
  }

 private:
  std::set<std::pair<Time, std::string>> order_{};
  std::map<std::string, Time, std::less<>> times_{};
};

}  // namespace elbowroom::scheduler
