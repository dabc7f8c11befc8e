// Pods whose removal the API server refused: by a webhook, a policy or missing permission. Such a
// pod counts as unremovable until its own object changes, or for a backoff that doubles with each
// refusal; then the removal is tried once more.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/pod.h"
#include "policy/preemption/resize_preemption.h"

namespace elbowroom::scheduler {

class RefusedRemovals {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  static constexpr Time kFirst{60'000};
  static constexpr Time kLongest{1'800'000};

  struct Refused {
    std::string key{};
    std::string uid{};
    std::string node{};
    std::string why{};
    Time until{0};
    unsigned times = 0;
  };

  // Returns the backoff after this many refusals in a row: 1, 2, 4 ... 30 minutes.
  [[nodiscard]] static Time wait_after(unsigned times);

  void refused(const policy::Pod& pod, std::string why, Time now);
  // The pod before and after a change; nullptr: it did not, or does not, exist.
  void saw(const policy::Pod* before, const policy::Pod* after);

  [[nodiscard]] bool holds(std::string_view uid, Time now) const;
  // Returns why pods of the node are unremovable, by uid.
  [[nodiscard]] policy::Unremovable on(std::string_view node, Time now) const;
  // Returns the same for people, by key.
  [[nodiscard]] std::vector<Refused> told(std::string_view node, Time now) const;
  // Those of all nodes.
  [[nodiscard]] std::set<std::string, std::less<>> uids(Time now) const;
  // When the first of them is tried once more; none: there are none.
  [[nodiscard]] std::optional<Time> next(std::string_view node, Time now) const;
  [[nodiscard]] std::optional<Time> next_anywhere(Time now) const;
  // The number on all nodes.
  [[nodiscard]] std::size_t held(Time now) const;

 private:
  using Uids = std::map<std::string, Refused, std::less<>>;
  std::map<std::string, Uids, std::less<>> by_node_{};
};

}  // namespace elbowroom::scheduler
