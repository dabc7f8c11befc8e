// Deadlines of many names, the next one first. Each name has one deadline; names that are not due
// cost nothing.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "control/ranked_names.h"

namespace elbowroom::control {

class DeadlineQueue {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  // Replaces an earlier time.
  void set(const std::string& name, Time at) { names_.set(name, at); }
  // Keeps an earlier time.
  void bring_forward(const std::string& name, Time at) {
    const Time* known = names_.rank_of(name);
    if (known == nullptr || at < *known) set(name, at);
  }
  void forget(const std::string& name) { names_.forget(name); }

  [[nodiscard]] std::optional<Time> next() const {
    const auto* first = names_.first();
    return first == nullptr ? std::nullopt : std::optional(first->first);
  }

  // Returns and forgets the first name that is due.
  [[nodiscard]] std::optional<std::string> take_one(Time now) {
    if (!next() || *next() > now) return std::nullopt;
    return names_.take_first();
  }
  // Returns and forgets the names that are due.
  [[nodiscard]] std::vector<std::string> take_due(Time now) {
    std::vector<std::string> due;
    while (auto name = take_one(now)) due.push_back(*std::move(name));
    return due;
  }

 private:
  RankedNames<Time> names_{};
};

}  // namespace elbowroom::control
