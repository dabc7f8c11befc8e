// Who waits until fewer removals are under way than there may be. The one thing to know: whoever is
// the most important of them is next, then whoever waits longest, and each stands here once.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace elbowroom::scheduler {

class SlotsWanted {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  // In place of an earlier wish of that pod; `since`: it waits for a decision.
  void add(const std::string& key, std::int32_t priority, Time since) {
    remove(key);
    const Rank rank{-std::int64_t{priority}, since};
    ranks_.emplace(key, rank);
    order_.emplace(rank, key);
  }
  void remove(std::string_view key) {
    const auto at = ranks_.find(key);
    if (at == ranks_.end()) return;
    order_.erase({at->second, at->first});
    ranks_.erase(at);
  }

  // Takes out whoever is next; none: nobody waits.
  [[nodiscard]] std::optional<std::string> take() {
    if (order_.empty()) return std::nullopt;
    std::string key = order_.begin()->second;
    remove(key);
    return key;
  }

 private:
  using Rank = std::pair<std::int64_t, Time>;  // negated priority, since

  std::map<std::string, Rank, std::less<>> ranks_{};
  std::set<std::pair<Rank, std::string>> order_{};
};

}  // namespace elbowroom::scheduler
