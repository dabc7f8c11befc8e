// Nodes whose kubelet would not keep a pod: it refused it at the door, or evicted it. Pods of the
// same controller (or the same pod, where it has none) stay away from that node for a while that
// doubles with each time, so that they do not go back and forth. A pod that was found Failed counts
// from when it failed, so a restart forgets none.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "policy/model/pod.h"
#include "policy/model/time.h"

namespace elbowroom::scheduler {

class AvoidedNodes {
 public:
  using Time = std::chrono::milliseconds;                           // on the reactor's clock
  using Reasons = std::map<std::string, std::string, std::less<>>;  // by node

  static constexpr Time kFirst{60'000};
  static constexpr Time kLongest{1'800'000};

  // The pod has failed on its node: why nobody like it goes there now; "" for another end than
  // these.
  [[nodiscard]] static std::string turned_out(const policy::Pod& failed);

  // When it was turned out, by what the pod itself says; none: it does not.
  [[nodiscard]] static std::optional<policy::Time> turned_out_at(const policy::Pod& failed);

  // It was turned out at that time, which is not after `now`. Each pod counts once; one of so long
  // ago that nothing follows from it any more does not.
  void note(const policy::Pod& failed, Time at, Time now);

  // The nodes that are not for that pod now.
  [[nodiscard]] Reasons avoided_by(const policy::Pod& pod, Time now) const;
  // When the first of them is for it again; none: there are none.
  [[nodiscard]] std::optional<Time> next(const policy::Pod& pod, Time now) const;

  // Forgets what is long past.
  void advance(Time now);

 private:
  // Times beyond these make no wait longer.
  static constexpr unsigned kMostTimes = 6;
  static constexpr std::size_t kMostKnown = 32;

  struct Stay {
    std::string why{};
    std::deque<std::string> uids{};  // of the last pods that were turned out
    Time latest{0};
    unsigned times = 0;

    [[nodiscard]] Time until() const;
    [[nodiscard]] Time forget() const { return until() + kLongest; }
  };
  using Nodes = std::map<std::string, Stay, std::less<>>;

  [[nodiscard]] static const std::string& owner_of(const policy::Pod& pod);

  std::map<std::string, Nodes, std::less<>> by_owner_{};
  Time advanced_{0};
};

}  // namespace elbowroom::scheduler
