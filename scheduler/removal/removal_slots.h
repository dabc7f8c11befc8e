// Pods that wait for a free removal slot, because the number of concurrent removals is limited. The
// most important pod is next, then the one that waits longest. Each pod is queued once.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "control/ranked_names.h"

namespace elbowroom::scheduler {

class RemovalSlots {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  // Replaces an earlier entry of that pod; `since`: it waits for a decision.
  void add(const std::string& key, std::int32_t priority, Time since) {
    names_.set(key, {-std::int64_t{priority}, since});
  }
  void remove(std::string_view key) { names_.forget(key); }

  // Removes and returns the next pod; none: no pod waits.
  [[nodiscard]] std::optional<std::string> take() {
    if (names_.first() == nullptr) return std::nullopt;
    return names_.take_first();
  }

 private:
  control::RankedNames<std::pair<std::int64_t, Time>> names_{};  // by negated priority, then since
};

}  // namespace elbowroom::scheduler
